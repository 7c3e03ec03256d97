//! Cosignatures (C2SP tlog-cosignature v1): a witness says that it saw a tree head, and when.

use super::{
    key::{self, PublicKey, SigningKey},
    note::{Note, NoteError, NoteKeyType, NoteSignature, VerifierKey},
};

/// Makes a witness's signature line over a tree head's text; `time` is in seconds since 1970.
pub fn cosign(text: &str, name: &str, time: u64, signing: &SigningKey) -> Result<NoteSignature, NoteError> {
    let verifier = VerifierKey::new(name, NoteKeyType::Cosignature, PublicKey::of(signing))?;
    let signature = key::sign(signing, message(text, time).as_bytes());
    let payload = [&time.to_be_bytes()[..], &signature].concat();
    Ok(NoteSignature { name: name.to_owned(), id: verifier.id(), payload })
}

/// When the witness saw the note, in seconds since 1970; `None` if it did not sign, an error if it signed badly.
pub fn cosigned_at(note: &Note, witness: &VerifierKey) -> Result<Option<u64>, NoteError> {
    let Some(signature) = note.signatures.iter().find(|signature| witness.made(signature)) else {
        return Ok(None);
    };
    let (time, signature) = signature
        .payload
        .split_first_chunk::<8>()
        .ok_or_else(|| NoteError::BadSignature(witness.name().to_owned()))?;
    let time = u64::from_be_bytes(*time);
    if witness.public_key().verify(message(&note.text, time).as_bytes(), signature) {
        Ok(Some(time))
    } else {
        Err(NoteError::BadSignature(witness.name().to_owned()))
    }
}

fn message(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

#[cfg(test)]
mod tests {
    use super::{super::key::test_keys, *};

    #[test]
    fn the_reference_cosignature() {
        let text = "ledger.example/log\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n";
        let mut note = Note::new(text.to_owned()).unwrap();
        let line = cosign(text, "witness.example/w1", 1_700_000_000, &test_keys::rfc8032_2()).unwrap();
        note.signatures.push(line);
        let field = "BNLYMwAAAABlU/EATzplQjjh2THDb4R97pyyBVLAmQFMWv7+o2p8TQf/4xBIedU4rqRKMQRbZsLbwNQN3kxx1amAcom0yKDz9+umBA==";
        assert!(note.to_string().ends_with(&format!("\u{2014} witness.example/w1 {field}\n")));

        let key = "witness.example/w1+04d2d833+BD1AF8PoQ4lakrcKp00bfrycmCzPLsSWjMDNVfEq9GYM";
        let witness = VerifierKey::parse(key).unwrap();
        assert_eq!(witness.to_string(), key);
        assert_eq!(cosigned_at(&note, &witness), Ok(Some(1_700_000_000)));
        note.signatures[0].payload[7] ^= 1;
        assert!(cosigned_at(&note, &witness).is_err());
        note.signatures[0].payload.truncate(5);
        assert!(cosigned_at(&note, &witness).is_err());
        note.signatures.clear();
        assert_eq!(cosigned_at(&note, &witness), Ok(None));
    }
}
