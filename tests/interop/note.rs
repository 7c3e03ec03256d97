//! `signed_note` opens our notes, and we open its notes.

use acta_ledger::log::{
    cosignature::cosign,
    digest::Sha256Digest,
    key::{PublicKey, SigningKey},
    note::{Note, NoteKeyType, VerifierKey},
    tree_head::TreeHead,
};
use proptest::prelude::*;
use signed_note::{
    NoteError, StandardSigner, StandardVerifier, VerificationError, Verifier, VerifierList, Verifiers,
};

const ORIGIN: &str = "ledger.example/log";

/// One key, by the reading of the other crate. Its own list answers for a key that is not in it, too; we need no more.
fn only(key: &VerifierKey) -> VerifierList {
    let theirs = StandardVerifier::new(&key.to_string()).expect("our verifier key is one");
    VerifierList::new(vec![Box::new(theirs)])
}

fn verifier(name: &str, key: &SigningKey) -> VerifierKey {
    VerifierKey::new(name, NoteKeyType::Ed25519, PublicKey::of(key)).expect("the name is one")
}

/// A private key in the spelling of Go's tools, which the other crate signs with.
fn private(name: &str, key: &SigningKey) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let id = u32::from_be_bytes(verifier(name, key).id());
    let material = [&[0x01][..], &key.to_bytes()].concat();
    format!("PRIVATE+KEY+{name}+{id:08x}+{}", STANDARD.encode(material))
}

#[test]
fn the_other_crate_opens_our_tree_heads_with_cosignatures_it_does_not_know() {
    let (log, witness) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
    for size in [0, 1, 255, 256, 1 << 40, u64::MAX] {
        let head = TreeHead { origin: ORIGIN.to_owned(), size, root: Sha256Digest::of(&size.to_be_bytes()) };
        let mut note = head.sign(&log).expect("a tree head is a note");
        note.signatures.push(cosign(&note.text, "witness.example/w1", 1_700_000_000, &witness).unwrap());
        let theirs = signed_note::Note::from_bytes(note.to_string().as_bytes()).expect("our note is one");
        let (verified, unknown) = theirs.verify(&only(&verifier(ORIGIN, &log))).expect("it verifies");
        assert_eq!((verified.len(), unknown.len()), (1, 1));
        assert_eq!(theirs.to_bytes(), note.to_string().into_bytes());

        let checkpoint = tlog_tiles::Checkpoint::from_bytes(theirs.text()).expect("our tree head is one");
        assert_eq!((checkpoint.origin(), checkpoint.size()), (ORIGIN, size));
        assert_eq!((checkpoint.hash().0, checkpoint.extension()), (head.root.0, ""));
        assert_eq!(checkpoint.to_bytes(), note.text.as_bytes());
    }
}

#[test]
fn both_refuse_a_known_keys_bad_line_beside_a_good_one() {
    let (one, two) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
    let mut note = Note::new("text\n".to_owned()).unwrap();
    note.sign("one", &one).unwrap();
    note.sign("two", &two).unwrap();
    note.signatures[0].payload[7] ^= 1;
    let known = [verifier("one", &one), verifier("two", &two)];
    assert!(note.verify(&known).is_err());
    let theirs = known
        .iter()
        .map(|key| Box::new(StandardVerifier::new(&key.to_string()).expect("a key")) as Box<dyn Verifier>);
    let read = signed_note::Note::from_bytes(note.to_string().as_bytes()).unwrap();
    let refused = read.verify(&VerifierList::new(theirs.collect()));
    assert!(matches!(refused, Err(NoteError::InvalidSignature { name, .. }) if name == "one"));
    let unknown = only(&known[0]).verifier("two", 0).err();
    assert!(matches!(unknown, Some(VerificationError::UnknownKey { .. })), "their list knows one key only");
}

proptest! {
    /// Any text, any name: what one signs the other opens, byte for byte.
    #[test]
    fn what_one_signs_the_other_opens(
        lines in prop::collection::vec("[^\u{0}-\u{1f}]{0,20}", 1..6),
        name in "[a-zé/.]{1,12}",
        seed in any::<[u8; 32]>(),
    ) {
        let key = SigningKey::from_bytes(&seed);
        let text = lines.join("\n") + "\n";
        let mut ours = Note::new(text.clone()).unwrap();
        ours.sign(&name, &key).unwrap();
        let signer = StandardSigner::new(&private(&name, &key)).expect("a private key");
        let mut theirs = signed_note::Note::new(text.as_bytes(), &[]).unwrap();
        theirs.add_sigs(&[&signer]).unwrap();
        let written = String::from_utf8(theirs.to_bytes()).unwrap();
        prop_assert_eq!(&written, &ours.to_string());
        prop_assert!(theirs.verify(&only(&verifier(&name, &key))).is_ok());
        let read = Note::parse(&written).unwrap();
        prop_assert!(read.verify(&[verifier(&name, &key)]).is_ok());
    }

    /// Neither takes what the other refuses: the same texts are notes for both.
    #[test]
    fn both_read_the_same_texts_as_notes(
        before in "[ -~\n\u{2014}\t]{0,40}",
        line in prop_oneof!["\u{2014} [a-z+ ]{0,4} [A-Za-z0-9+/]{0,8}={0,2}\n?", "[ -~\u{2014}]{0,20}\n?"],
        more in "[ -~\n]{0,8}",
    ) {
        let note = format!("{before}\n\n{line}{more}");
        let theirs = signed_note::Note::from_bytes(note.as_bytes());
        prop_assert_eq!(Note::parse(&note).is_ok(), theirs.is_ok(), "{:?}: {:?}", note, theirs);
    }
}
