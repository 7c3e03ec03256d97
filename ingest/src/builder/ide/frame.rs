//! Frames: a header with the length, an empty line, and so many bytes, as the Language Server Protocol has it.

use std::io::{self, BufRead};

use serde_json::Value;

/// The longest message in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The longest header in bytes.
const MAX_HEADER: u64 = 4_096;

/// Why bytes are no frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The header says no length that can be used: where the next frame begins is not known.
    #[error(
        "found the header {found:?}, expected Content-Length: BYTES, at most {MAX_BYTES}, and an empty line"
    )]
    Header {
        /// What stood there.
        found: String,
    },
    /// The message was passed over.
    #[error("found a message of {found} bytes, expected at most {MAX_BYTES}")]
    TooLong {
        /// How long it is.
        found: usize,
    },
    /// The stream broke inside a frame.
    #[error("the stream ended inside a message")]
    Cut,
}

impl FrameError {
    /// The error's code in JSON-RPC.
    pub fn code(&self) -> i64 {
        match self {
            Self::Header { .. } | Self::Cut => super::rpc::PARSE_ERROR,
            Self::TooLong { .. } => super::rpc::INVALID_REQUEST,
        }
    }

    /// Whether nothing more can be read.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, Self::TooLong { .. })
    }
}

/// The frames of a stream.
pub struct Frames<R>(R);

impl<R: BufRead> Frames<R> {
    /// Reads from the stream.
    pub fn new(stream: R) -> Self {
        Self(stream)
    }

    /// The next message's bytes; none at the end of the stream.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(length) = self.header()? else { return Ok(None) };
        if length > MAX_BYTES {
            let mut rest = io::Read::take(&mut self.0, length as u64);
            return match io::copy(&mut rest, &mut io::sink()) {
                Ok(passed) if passed == length as u64 => Err(FrameError::TooLong { found: length }),
                Ok(_) | Err(_) => Err(FrameError::Cut),
            };
        }
        let mut body = vec![0; length];
        io::Read::read_exact(&mut self.0, &mut body).map_err(|_| FrameError::Cut)?;
        Ok(Some(body))
    }

    fn header(&mut self) -> Result<Option<usize>, FrameError> {
        let (mut whole, mut length) = (Vec::new(), None);
        let bad = |whole: &[u8]| {
            let found = String::from_utf8_lossy(whole).chars().take(80).collect();
            Err(FrameError::Header { found })
        };
        loop {
            let begun = whole.len();
            let room = MAX_HEADER.saturating_sub(begun as u64);
            let read = io::Read::take(&mut self.0, room).read_until(b'\n', &mut whole);
            let line = match read {
                Ok(0) if begun == 0 && room > 0 => return Ok(None),
                Ok(1..) if whole.ends_with(b"\n") => whole[begun..].trim_ascii(),
                Ok(_) | Err(_) => return bad(&whole),
            };
            if line.is_empty() {
                return length.map_or_else(|| bad(&whole), |length| Ok(Some(length)));
            }
            let text = std::str::from_utf8(line).unwrap_or_default();
            let Some((name, value)) = text.split_once(':') else { return bad(&whole) };
            if name.trim().eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok();
            }
        }
    }
}

/// A message as a frame.
pub fn encode(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn frames(bytes: &[u8]) -> Frames<&[u8]> {
        Frames::new(bytes)
    }

    #[test]
    fn what_is_encoded_is_read() {
        let message = json!({ "method": "ñ" });
        let two = [encode(&message), encode(&json!(7))].concat();
        let mut frames = frames(&two);
        assert_eq!(frames.next().unwrap().unwrap(), message.to_string().as_bytes());
        assert_eq!(frames.next().unwrap().unwrap(), b"7");
        assert!(frames.next().unwrap().is_none());
    }

    #[test]
    fn other_headers_and_line_ends_are_taken() {
        let text = b"content-type: x\r\nCONTENT-LENGTH:  2 \n\r\n{}";
        assert_eq!(frames(text).next().unwrap().unwrap(), b"{}");
    }

    #[test]
    fn what_is_no_frame_says_what_it_is() {
        for (text, words) in [
            (&b"{}\r\n\r\n"[..], "found the header \"{}"),
            (b"Content-Length: -1\r\n\r\n", "found the header"),
            (b"Content-Length: 1x\r\n\r\n", "found the header"),
            (b"\r\n", "expected Content-Length"),
            (b"Content-Length: 5\r\n\r\n{}", "ended inside"),
            (b"Content-Length: 5", "found the header"),
            (&[b'x'; 10_000], "found the header"),
            (b"Content-Length: 99999999999\r\n\r\n{}", "ended inside"),
        ] {
            let error = frames(text).next().unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.is_fatal() && error.code() == -32700);
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_passed_over() {
        let long = format!("Content-Length: {0}\r\n\r\n{1}", MAX_BYTES + 1, "x".repeat(MAX_BYTES + 1));
        let both = [long.into_bytes(), encode(&json!(1))].concat();
        let mut frames = frames(&both);
        let error = frames.next().unwrap_err();
        assert!(!error.is_fatal() && error.code() == -32600, "{error}");
        assert_eq!(frames.next().unwrap().unwrap(), b"1");
    }
}
