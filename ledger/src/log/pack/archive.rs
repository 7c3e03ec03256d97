//! A pack's tar archive (POSIX ustar), in its one spelling: files only, mode 0644, owner 0, time 0, no extensions, the
//! names in the pack's order, zeros between and behind the files, two blocks of zeros at the end.
//!
//! The reader writes the header that a file of that name and length must have, and compares: whatever else a tar archive
//! may hold (links, other times, text in the padding) is refused, so that no byte of a pack is without meaning. That is
//! also why this is not a library's reader, which accepts all of it.

use std::io::{self, Read};

/// Tar's unit: headers are one block, and contents are filled up to whole ones.
pub const BLOCK: usize = 512;

/// The longest name.
const MAX_PATH: usize = 100;

/// Why an archive is not a pack's.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It ends inside a file.
    #[error("it ends at byte {at}, inside {inside}")]
    Cut {
        /// Where.
        at: u64,
        /// In which part.
        inside: String,
    },
    /// A block is not what a pack's archive has there.
    #[error("byte {at}: {what}")]
    Block {
        /// Where.
        at: u64,
        /// What is wrong.
        what: String,
    },
}

/// The header of a file. The name has at most 100 bytes and the length fits 33 bits: every file of a pack does.
pub fn header(path: &str, bytes: u64) -> [u8; BLOCK] {
    debug_assert!(path.len() <= MAX_PATH && bytes < 1 << 33);
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, path.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{bytes:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(156, b"0");
    put(257, b"ustar\x0000");
    // The sum is taken with spaces in its own place.
    put(148, b"        ");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

/// How many zeros follow contents of this length.
pub fn padding(bytes: u64) -> usize {
    (BLOCK - (bytes % BLOCK as u64) as usize) % BLOCK
}

/// What stands behind the last file.
pub const END: [u8; 2 * BLOCK] = [0; 2 * BLOCK];

/// The length of an archive of files of these lengths.
pub fn length(files: impl Iterator<Item = u64>) -> u64 {
    files.map(|bytes| BLOCK as u64 + bytes + padding(bytes) as u64).sum::<u64>() + END.len() as u64
}

/// Reads an archive file by file.
pub struct Reader<R> {
    inner: R,
    at: u64,
}

/// A file's name and length; its contents are still to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}

impl<R: Read> Reader<R> {
    /// Reads from here.
    pub fn new(inner: R) -> Self {
        Self { inner, at: 0 }
    }

    /// The next file; none at the end of the archive, behind which nothing may follow.
    pub fn next_file(&mut self) -> Result<Option<Head>, ArchiveError> {
        let at = self.at;
        let mut block = [0; BLOCK];
        self.fill(&mut block, "a header")?;
        let wrong = |what: &str| ArchiveError::Block { at, what: what.to_owned() };
        if block == [0; BLOCK] {
            self.fill(&mut block, "the end")?;
            let mut more = [0];
            return if block != [0; BLOCK] {
                Err(wrong("one block of zeros stands alone"))
            } else if self.inner.read(&mut more)? > 0 {
                Err(ArchiveError::Block { at: self.at, what: "something follows the end".to_owned() })
            } else {
                Ok(None)
            };
        }
        let path = block[..MAX_PATH].split(|byte| *byte == 0).next().unwrap_or_default();
        let path = std::str::from_utf8(path).ok().filter(|path| !path.is_empty());
        let path = path.ok_or_else(|| wrong("this is no file of a pack"))?.to_owned();
        let bytes = std::str::from_utf8(&block[124..135]).ok();
        let bytes = bytes.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
        let bytes = bytes.and_then(|text| u64::from_str_radix(text, 8).ok());
        let bytes = bytes.ok_or_else(|| wrong("the file's length is not in octal digits"))?;
        if block != header(&path, bytes) {
            return Err(wrong(&format!("the header of {path:?} is not the one that a pack writes")));
        }
        Ok(Some(Head { path, bytes }))
    }

    /// Reads the contents of the file whose head was read last, piece by piece, and the zeros behind them.
    pub fn contents(&mut self, head: &Head, mut take: impl FnMut(&[u8])) -> Result<(), ArchiveError> {
        let mut buffer = vec![0; 64 << 10];
        let mut left = head.bytes;
        while left > 0 {
            let piece = left.min(buffer.len() as u64) as usize;
            self.fill(&mut buffer[..piece], &head.path)?;
            take(&buffer[..piece]);
            left -= piece as u64;
        }
        let at = self.at;
        let padding = &mut buffer[..padding(head.bytes)];
        self.fill(padding, &head.path)?;
        if padding.iter().any(|byte| *byte != 0) {
            return Err(ArchiveError::Block { at, what: format!("something stands behind {:?}", head.path) });
        }
        Ok(())
    }

    /// How many bytes were read.
    pub fn position(&self) -> u64 {
        self.at
    }

    fn fill(&mut self, buffer: &mut [u8], inside: &str) -> Result<(), ArchiveError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.inner.read(&mut buffer[filled..]) {
                Ok(0) => {
                    return Err(ArchiveError::Cut { at: self.at + filled as u64, inside: inside.to_owned() });
                }
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.at += filled as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        for (path, bytes) in files {
            out.extend(header(path, bytes.len() as u64));
            out.extend(*bytes);
            out.extend(vec![0; padding(bytes.len() as u64)]);
        }
        out.extend(END);
        out
    }

    fn read(bytes: &[u8]) -> Result<Vec<(String, Vec<u8>)>, ArchiveError> {
        let mut reader = Reader::new(bytes);
        let mut files = Vec::new();
        while let Some(head) = reader.next_file()? {
            let mut contents = Vec::new();
            reader.contents(&head, |piece| contents.extend_from_slice(piece))?;
            files.push((head.path, contents));
        }
        assert_eq!(reader.position(), bytes.len() as u64);
        Ok(files)
    }

    #[test]
    fn what_is_written_is_read() {
        let long = vec![7; 100_000];
        let files: Vec<(&str, &[u8])> = vec![("a", b""), ("b/c", &long[..512]), ("d", &long), ("e", b"x")];
        let bytes = archive(&files);
        assert_eq!(bytes.len() as u64, length(files.iter().map(|(_, bytes)| bytes.len() as u64)));
        let expected: Vec<_> =
            files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
        assert_eq!(read(&bytes).unwrap(), expected);
        assert_eq!(read(&END).unwrap(), []);
    }

    #[test]
    fn every_changed_byte_outside_the_contents_and_every_cut_is_refused() {
        let bytes = archive(&[("a", b"hello"), ("b", b"")]);
        for at in 0..bytes.len() {
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
            if (512..517).contains(&at) {
                continue;
            }
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                // Another name of the same length with its own sum cannot come of one changed byte.
                assert!(read(&bad).is_err(), "bit {bit} of byte {at}");
            }
        }
        for more in [&b"x"[..], &[0], &[0; BLOCK]] {
            assert!(read(&[&bytes[..], more].concat()).is_err());
        }
    }

    #[test]
    fn a_header_has_the_fields_of_ustar() {
        let block = header("entries/0000000001.json", 652);
        assert_eq!(&block[..23], b"entries/0000000001.json");
        assert_eq!(&block[124..136], b"00000001214\0");
        assert_eq!(&block[257..265], b"ustar\x0000");
        assert_eq!(block[156], b'0');
        let sum: u32 = block
            .iter()
            .enumerate()
            .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
            .sum();
        assert_eq!(&block[148..156], format!("{sum:06o}\0 ").as_bytes());
    }
}
