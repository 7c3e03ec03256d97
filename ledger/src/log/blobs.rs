//! Several short blobs in one answer: each behind its length in four bytes, big-endian, in the order in which they were
//! asked for. Whoever asks for many short ones pays for one question; whatever is not given so is asked for by itself.

/// How many are asked for at once.
pub const MOST: usize = 64;

/// A blob that is longer is not given so, in bytes.
pub const SHORT_BYTES: usize = 64 << 10;

/// All of them are not longer together, in bytes: what does not fit is not given.
pub const MOST_BYTES: usize = 1 << 20;

/// The length of the longest answer.
pub const MOST_ANSWER_BYTES: usize = MOST * 4 + MOST_BYTES;

/// What stands in place of a length where no bytes follow.
const NOT_GIVEN: u32 = u32::MAX;

/// Writes blobs, as far as they are given and fit.
pub fn write<B: AsRef<[u8]>>(blobs: &[Option<B>]) -> Vec<u8> {
    let (mut answer, mut left) = (Vec::new(), MOST_BYTES);
    for blob in blobs {
        let bytes = blob.as_ref().map(AsRef::as_ref);
        match bytes.filter(|bytes| bytes.len() <= left.min(SHORT_BYTES)) {
            Some(bytes) => {
                left -= bytes.len();
                answer.extend((bytes.len() as u32).to_be_bytes());
                answer.extend_from_slice(bytes);
            }
            None => answer.extend(NOT_GIVEN.to_be_bytes()),
        }
    }
    answer
}

/// Reads an answer to a question for `count` blobs: each that was given. None if it is no such answer.
pub fn read(mut answer: &[u8], count: usize) -> Option<Vec<Option<&[u8]>>> {
    let mut next = || {
        let (length, behind) = answer.split_first_chunk::<4>()?;
        let length = u32::from_be_bytes(*length);
        if length == NOT_GIVEN {
            answer = behind;
            return Some(None);
        }
        let length = usize::try_from(length).ok().filter(|&length| length <= SHORT_BYTES)?;
        let (bytes, behind) = behind.split_at_checked(length)?;
        answer = behind;
        Some(Some(bytes))
    };
    let blobs: Option<Vec<_>> = (0..count.min(MOST + 1)).map(|_| next()).collect();
    blobs.filter(|blobs| answer.is_empty() && blobs.len() == count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_what_does_not_fit_is_not_given() {
        let (short, limit, long) = (vec![1; 3], vec![2; SHORT_BYTES], vec![3; SHORT_BYTES + 1]);
        let blobs = [Some(&short), None, Some(&limit), Some(&long), Some(&short)];
        let answer = write(&blobs);
        let expected = [Some(&short[..]), None, Some(&limit), None, Some(&short)];
        assert_eq!(read(&answer, 5).unwrap(), expected);
        assert_eq!(read(&write::<&[u8]>(&[Some(&[])]), 1).unwrap(), [Some(&[][..])]);

        let many = write(&[Some(&limit); MOST]);
        assert!(many.len() <= MOST_ANSWER_BYTES);
        let given = read(&many, MOST).unwrap();
        assert_eq!(given.iter().flatten().count(), MOST_BYTES / SHORT_BYTES);
        assert!(given.iter().skip(MOST_BYTES / SHORT_BYTES).all(Option::is_none));
    }

    #[test]
    fn an_answer_that_is_none_is_refused() {
        let answer = write(&[Some(&b"abc"[..]), None, Some(b"")]);
        for length in 0..answer.len() {
            assert_eq!(read(&answer[..length], 3), None, "cut at {length}");
        }
        assert_eq!(read(&[&answer[..], b"x"].concat(), 3), None, "something behind it");
        assert_eq!((read(&answer, 2), read(&answer, 4), read(&answer, usize::MAX)), (None, None, None));
        let too_long = [&(SHORT_BYTES as u32 + 1).to_be_bytes()[..], &[0; SHORT_BYTES + 1]].concat();
        assert_eq!(read(&too_long, 1), None);
    }
}
