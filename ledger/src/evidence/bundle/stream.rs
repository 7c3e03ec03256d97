//! The file as a stream that is read once: every byte goes through the file's hash, and no buffer follows a length
//! that the file merely claims.

use std::io::{self, ErrorKind, Read};

use super::InspectError;
use crate::log::digest::{Hasher, Sha256Digest};

/// How many bytes are read at a time.
pub(super) const CHUNK: usize = 64 * 1024;

/// A file of a known length.
pub(super) struct Source<R> {
    reader: R,
    hasher: Hasher,
    total: u64,
}

impl<R: Read> Source<R> {
    pub(super) fn new(reader: R, total: u64) -> Self {
        Self { reader, hasher: Hasher::default(), total }
    }

    /// How many bytes are still to come.
    pub(super) fn left(&self) -> u64 {
        self.total - self.hasher.bytes()
    }

    /// Reads some of the next bytes; zero only where the file ends or `buffer` is empty.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, InspectError> {
        let want = buffer.len().min(usize::try_from(self.left()).unwrap_or(usize::MAX));
        if want == 0 {
            return Ok(0);
        }
        let got = read_some(&mut self.reader, &mut buffer[..want])?;
        if got == 0 {
            return Err(InspectError::Ended { expected: self.total, found: self.hasher.bytes() });
        }
        self.hasher.update(&buffer[..got]);
        Ok(got)
    }

    /// Reads the next bytes until `buffer` is full or the file ends.
    pub(super) fn read_full(&mut self, buffer: &mut [u8]) -> Result<usize, InspectError> {
        let mut filled = 0;
        loop {
            match self.read(&mut buffer[filled..])? {
                0 => return Ok(filled),
                got => filled += got,
            }
        }
    }

    /// Passes the next `bytes` bytes to `sink`, piece by piece.
    pub(super) fn pass(
        &mut self,
        mut bytes: u64,
        buffer: &mut [u8],
        mut sink: impl FnMut(&[u8]),
    ) -> Result<(), InspectError> {
        while bytes > 0 {
            let want = buffer.len().min(usize::try_from(bytes).unwrap_or(usize::MAX));
            let got = self.read(&mut buffer[..want])?;
            if got == 0 {
                return Ok(());
            }
            sink(&buffer[..got]);
            bytes -= got as u64;
        }
        Ok(())
    }

    /// Reads the rest; the file's digest. Fails if the file goes on past its length.
    pub(super) fn finish(mut self, buffer: &mut [u8]) -> Result<Sha256Digest, InspectError> {
        self.pass(u64::MAX, buffer, |_| {})?;
        match read_some(&mut self.reader, &mut buffer[..1])? {
            0 => Ok(self.hasher.finish()),
            _ => Err(InspectError::Longer { expected: self.total }),
        }
    }
}

fn read_some(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Says whether a stream of bytes is UTF-8, piece by piece.
#[derive(Default)]
pub(super) struct Utf8Check {
    /// The beginning of a character whose end is still to come.
    carry: Vec<u8>,
    seen: u64,
    broken_at: Option<u64>,
}

impl Utf8Check {
    pub(super) fn update(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while !rest.is_empty() && self.broken_at.is_none() {
            if self.carry.is_empty() {
                match std::str::from_utf8(rest) {
                    Ok(_) => self.seen += rest.len() as u64,
                    Err(error) => {
                        self.seen += error.valid_up_to() as u64;
                        match error.error_len() {
                            Some(_) => self.broken_at = Some(self.seen),
                            None => self.carry.extend_from_slice(&rest[error.valid_up_to()..]),
                        }
                    }
                }
                return;
            }
            // A character is at most four bytes, so that this loop is short.
            self.carry.push(rest[0]);
            rest = &rest[1..];
            match std::str::from_utf8(&self.carry) {
                Ok(_) => {
                    self.seen += self.carry.len() as u64;
                    self.carry.clear();
                }
                Err(error) if error.error_len().is_some() => self.broken_at = Some(self.seen),
                Err(_) => {}
            }
        }
    }

    /// Where the first byte stands that is not UTF-8.
    pub(super) fn broken_at(&self) -> Option<u64> {
        self.broken_at.or((!self.carry.is_empty()).then_some(self.seen))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_judged_the_same_in_any_pieces() {
        for text in
            [&b"plain"[..], "aé模😀z".as_bytes(), b"ab\xff\xfecd", b"\xe6\xa8", b"\xed\xa0\x80", b"x\x80"]
        {
            let whole = std::str::from_utf8(text).err().map(|error| error.valid_up_to() as u64);
            for size in 1..=text.len() {
                let mut check = Utf8Check::default();
                text.chunks(size).for_each(|piece| check.update(piece));
                assert_eq!(check.broken_at(), whole, "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn a_file_that_changes_its_length_is_noticed() {
        let read = |bytes: &[u8], total| {
            let mut buffer = [0; 8];
            Source::new(bytes, total).finish(&mut buffer)
        };
        assert_eq!(read(b"abc", 3).unwrap(), Sha256Digest::of(b"abc"));
        assert!(matches!(read(b"abc", 4), Err(InspectError::Ended { expected: 4, found: 3 })));
        assert!(matches!(read(b"abc", 2), Err(InspectError::Longer { expected: 2 })));
    }
}
