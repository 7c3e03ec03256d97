//! Lines on the socket: bounded, and taken apart as they come.

pub use acta_ledger::live::cut;
use serde::{Serialize, de::DeserializeOwned};

use super::protocol::MAX_LINE_BYTES;

/// Writes one line; a message that would be too long is an error of ours and not sent.
pub fn encode<T: Serialize>(message: &T) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(message).ok()?;
    line.push(b'\n');
    (line.len() <= MAX_LINE_BYTES).then_some(line)
}

/// What is wrong with what came over the socket.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// No end of line in time.
    #[error("a line is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// Not a message.
    #[error("a line is no message: {0}")]
    Json(#[from] serde_json::Error),
}

/// Takes bytes as they come and gives messages.
#[derive(Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    read: usize,
}

impl Decoder {
    /// Takes bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.read);
        self.read = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Gives the next message; none if a whole line is not there yet.
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, ProtocolError> {
        let rest = &self.buffer[self.read..];
        match rest.iter().position(|&byte| byte == b'\n') {
            Some(end) if end < MAX_LINE_BYTES => {
                let message = serde_json::from_slice(&rest[..end]);
                self.read += end + 1;
                Ok(Some(message?))
            }
            None if rest.len() < MAX_LINE_BYTES => Ok(None),
            _ => Err(ProtocolError::TooLong),
        }
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::number::Count64;

    use super::{
        super::protocol::{LogSeverity, Report},
        *,
    };

    #[test]
    fn lines_are_bounded_and_garbage_is_refused() {
        let mut decoder = Decoder::default();
        decoder.feed(&vec![b'x'; MAX_LINE_BYTES - 1]);
        assert!(decoder.next::<Report>().unwrap().is_none());
        decoder.feed(b"x");
        assert!(matches!(decoder.next::<Report>(), Err(ProtocolError::TooLong)));
        let mut decoder = Decoder::default();
        decoder.feed(b"{\"type\":\"unheard-of\"}\n");
        assert!(matches!(decoder.next::<Report>(), Err(ProtocolError::Json(_))));
        let long =
            Report::Log { severity: LogSeverity::Info, message: "m".repeat(MAX_LINE_BYTES), at: Count64(0) };
        assert_eq!(encode(&long), None);
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
    }
}
