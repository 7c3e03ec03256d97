//! Two plans side by side, byte by byte.

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use acta_ledger::{evidence::number::Count64, log::digest::Sha256Digest};

use crate::{
    blob::digest_file,
    command::bundle::reading::open,
    error::{CliError, Exit, Result},
};

/// Checks that a file is the plan of the run.
pub fn check(path: &Path, recorded: Option<Sha256Digest>) -> Result<()> {
    open("--plan", path)?;
    let (digest, _) =
        digest_file(path).map_err(|error| CliError::io("read", path, &error).exit(Exit::Usage))?;
    if Some(digest) == recorded {
        return Ok(());
    }
    Err(CliError::usage("this is not the plan of the run")
        .field("--plan")
        .found(format!("{}: sha256 {digest}", path.display()))
        .expected(
            recorded.map_or_else(|| "none: the run has no plan".to_owned(), |it| format!("sha256 {it}")),
        ))
}

/// The first byte that differs, counted from 0; the shorter length where one begins with the other, and none where both
/// are the same.
pub fn first_difference(before: &Path, now: &Path) -> Result<Option<Count64>> {
    let opened = |path: &Path| {
        File::open(path).map(BufReader::new).map_err(|error| CliError::io("read", path, &error))
    };
    let (mut one, mut other) = (opened(before)?, opened(now)?);
    differing(&mut one, &mut other)
        .map(|at| at.map(Count64))
        .map_err(|error| CliError::io("compare with", before, &error))
}

fn differing(one: &mut impl io::BufRead, other: &mut impl io::BufRead) -> io::Result<Option<u64>> {
    let mut at = 0;
    loop {
        let (left, right) = (one.fill_buf()?, other.fill_buf()?);
        let both = left.len().min(right.len());
        if both == 0 {
            return Ok((left.len() != right.len()).then_some(at));
        }
        if let Some(first) = left.iter().zip(right).position(|(left, right)| left != right) {
            return Ok(Some(at + first as u64));
        }
        at += both as u64;
        one.consume(both);
        other.consume(both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_found_wherever_buffers_end() {
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for (other, expected) in [
            (bytes.clone(), None),
            (bytes[..700].to_vec(), Some(700)),
            ([&bytes[..], b"more"].concat(), Some(1000)),
            (Vec::new(), Some(0)),
            ([&bytes[..999], &[0]].concat(), Some(999)),
            ([&bytes[..64], &[0], &bytes[65..]].concat(), Some(64)),
        ] {
            for (left, right) in [(7, 64), (64, 7), (1, 1000)] {
                let mut one = BufReader::with_capacity(left, &bytes[..]);
                let mut two = BufReader::with_capacity(right, &other[..]);
                assert_eq!(differing(&mut one, &mut two).unwrap(), expected);
            }
        }
    }
}
