use curve25519_dalek::{constants::EIGHT_TORSION, edwards::EdwardsPoint};
use proptest::prelude::*;

use super::{
    super::{SigningKey, sign},
    *,
};

/// A key that has its table already.
fn busy(key: PublicKey) -> BusyKey {
    let busy = BusyKey::new(key, Tables::default());
    busy.checked.store(BUSY, Ordering::Relaxed);
    assert!(busy.table.get_or_init(|| busy.tabulate()).is_some());
    busy
}

fn table(busy: &BusyKey) -> &EdwardsBasepointTable {
    busy.table.get().and_then(Option::as_deref).expect("a table")
}

#[test]
fn a_key_gets_its_table_when_it_has_signed_much_and_there_is_room() {
    let signing = SigningKey::from_bytes(&[7; 32]);
    let signature = sign(&signing, b"message");
    let tables = Tables(Arc::new(AtomicU32::new(1)));
    let keys = [(); 2].map(|()| BusyKey::new(PublicKey::of(&signing), tables.clone()));
    for key in &keys {
        for _ in 0..=BUSY {
            assert!(key.verify(b"message", &signature));
            assert!(!key.verify(b"massage", &signature));
        }
    }
    let made = keys.each_ref().map(|key| key.table.get().is_some_and(Option::is_some));
    assert_eq!(made, [true, false], "the second one found no room, and is right all the same");
    assert_eq!(tables.0.load(Ordering::Relaxed), 0);
}

/// What may stand as `R`: with its nonce, and whether a strict check may take it. Each point of small order by itself and
/// beside a usual point, and four that are not written canonically (y + p).
fn points_for_r() -> Vec<([u8; 32], Scalar, bool)> {
    let nonce = Scalar::from(5_u8);
    let by_itself = EIGHT_TORSION.map(|point| (point.compress().to_bytes(), Scalar::ZERO, false));
    let beside = EIGHT_TORSION
        .map(|point| ((ED25519_BASEPOINT_TABLE.mul_base(&nonce) + point).compress().to_bytes(), nonce, true));
    let beyond_p = [(0xed, 0x7f), (0xed, 0xff), (0xee, 0x7f), (0xee, 0xff)].map(|(first, last)| {
        let mut bytes = [0xff; 32];
        (bytes[0], bytes[31]) = (first, last);
        (bytes, Scalar::ZERO, false)
    });
    [&by_itself[..], &beside, &beyond_p].concat()
}

/// The cases of C2SP's Ed25519 vectors (CCTV): points of small order beside the key and as or beside `R`, as nobody but the
/// key's owner can make them, and other encodings. A strict check takes none with an `R` of small order, and takes the others
/// where the equation holds without a cofactor; the table says the same of every one.
#[test]
fn signatures_with_points_of_small_order_are_judged_as_the_strict_check_does() {
    let secret = Scalar::from_bytes_mod_order([9; 32]);
    let mut seen = [0; 2];
    for in_key in EIGHT_TORSION {
        let point: EdwardsPoint = ED25519_BASEPOINT_TABLE.mul_base(&secret) + in_key;
        let key = PublicKey::from_bytes(point.compress().as_bytes()).expect("not of small order");
        let busy = busy(key);
        for (r, nonce, may_be_good) in points_for_r() {
            // Of sixteen messages some give a hash under which the points of small order cancel each other out.
            for message in 0..16_u8 {
                let parts = [&r[..], &key.as_bytes()[..], &[message]];
                let hash = parts.iter().fold(Sha512::new(), |hash, part| hash.chain_update(part));
                let h = Scalar::from_bytes_mod_order_wide(&hash.finalize().into());
                let signature = [r, (nonce + h * secret).to_bytes()].concat();
                let strict = key.verify(&[message], &signature);
                assert!(may_be_good || !strict, "{r:?} is of small order");
                assert_eq!(busy.verify(&[message], &signature), strict);
                assert_eq!(is_good(&key, table(&busy), &[message], &signature), strict);
                seen[usize::from(strict)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 100), "both answers were met: {seen:?}");
}

proptest! {
    /// Any change of one byte of signature, message or length is judged as the strict check judges it.
    #[test]
    fn changed_signatures_are_judged_as_the_strict_check_does(
        secret: [u8; 32], message: Vec<u8>, at in 0..80_usize, bit in 0..8_u32, length in 0..70_usize,
    ) {
        let signing = SigningKey::from_bytes(&secret);
        let busy = busy(PublicKey::of(&signing));
        let good = sign(&signing, &message);
        prop_assert!(is_good(&busy.key, table(&busy), &message, &good));
        let mut changed = good.to_vec();
        if let Some(byte) = changed.get_mut(at) {
            *byte ^= 1 << bit;
        }
        changed.truncate(length);
        prop_assert!(!is_good(&busy.key, table(&busy), &message, &changed) || changed == good);
        prop_assert_eq!(busy.verify(&message, &changed), busy.key.verify(&message, &changed));
        let mut other = message.clone();
        other.push(0);
        prop_assert!(!busy.verify(&other, &good));
    }

    /// `s` beyond the order of the base point is another writing of the same number, and refused.
    #[test]
    fn a_second_writing_of_a_scalar_is_refused(secret: [u8; 32], message: Vec<u8>) {
        let order: [u8; 32] = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ];
        let signing = SigningKey::from_bytes(&secret);
        let busy = busy(PublicKey::of(&signing));
        let mut signature = sign(&signing, &message);
        let mut carry = 0_u16;
        for (byte, add) in signature[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
        prop_assert!(!busy.verify(&message, &signature));
        prop_assert!(!busy.key.verify(&message, &signature));
    }
}
