//! What the agent beside the runtime asks the server for.

use std::io::Read;

use acta_ledger::{evidence::rollback::RollbackOrder, log::digest::Sha256Digest};

use super::order::Listed;
use crate::{
    client::Client,
    error::{CliError, Exit, Result},
    server::{EntryName, ServerFacts},
    statements::from_log,
};

/// Bytes that come.
pub struct Incoming {
    /// How many, where it is said.
    pub bytes: Option<u64>,
    /// They themselves.
    pub reader: Box<dyn Read>,
}

/// Where orders and retained bundles come from.
pub trait Portal {
    /// The orders of a route that have no last step yet.
    fn open_orders(&self, route: &str) -> Result<Vec<Listed>>;
    /// An order, verified as an entry of the log that the portal signed; [`Exit::NotPushed`] where that is not known yet.
    fn order(&self, entry: u64) -> Result<RollbackOrder>;
    /// A blob; none where there is none.
    fn blob(&self, digest: &Sha256Digest) -> Result<Option<Incoming>>;
}

/// The server that the agent is enrolled with.
pub struct Server {
    client: Client,
    facts: ServerFacts,
}

impl Server {
    /// Prepares to ask; asks nothing yet.
    pub fn new(facts: ServerFacts) -> Self {
        Self { client: Client::new(&facts.url, Some(&facts.api_token)), facts }
    }
}

impl Portal for Server {
    fn open_orders(&self, route: &str) -> Result<Vec<Listed>> {
        self.client.open_orders(route).map_err(|error| error.explain("the open orders", self.client.base()))
    }

    fn order(&self, entry: u64) -> Result<RollbackOrder> {
        // A server that is busy or broken says nothing about the order.
        let material = self.client.verification(EntryName::Index(entry));
        if let Err(error) = material
            && !error.is_refusal()
        {
            return Err(error.explain("an order", self.client.base()).exit(Exit::NotPushed));
        }
        let (order, signer) = from_log(&self.client, &self.facts, entry)?;
        if signer == "portal" {
            return Ok(order);
        }
        Err(CliError::failure("an order is not the portal's and is not carried out")
            .field(format!("entry {entry}"))
            .found(signer))
    }

    fn blob(&self, digest: &Sha256Digest) -> Result<Option<Incoming>> {
        let answer = self.client.blob(digest);
        let answer = answer.map_err(|error| error.explain("a retained blob", self.client.base()))?;
        Ok(answer.map(|(bytes, reader)| Incoming { bytes, reader: Box::new(reader) }))
    }
}

#[cfg(test)]
pub mod testing {
    use std::{cell::RefCell, collections::BTreeMap, io::Cursor};

    use acta_ledger::evidence::{
        decision::ReasonCode,
        person::{Role, SignIn, Signatory},
        rollback::OrderAction,
    };
    use uuid::Uuid;

    use super::*;
    use crate::deploy::order::Named;

    /// The configuration of every order.
    pub const CONFIG: &[u8] = b"its configuration";

    /// An order to restore a bundle.
    pub fn order(number: u128, action: OrderAction, bundle: &[u8]) -> RollbackOrder {
        let at = "2026-11-29T10:00:00Z".parse().unwrap();
        RollbackOrder {
            order: Uuid::from_u128(number),
            route: "mini".to_owned(),
            action,
            from: None,
            to: Sha256Digest::of(bundle),
            runtime_config: Sha256Digest::of(CONFIG),
            reason_code: ReasonCode::Canary,
            text: "the canary failed".to_owned(),
            by: Signatory {
                account: "ana".to_owned(),
                roles: vec![Role::Approver],
                signed_in_with: SignIn::Password,
                signed_in_at: at,
                stepped_up_at: None,
            },
            needs_confirmation: false,
            confirmed_by: None,
            at,
        }
    }

    /// A server in memory.
    #[derive(Default)]
    pub struct Shelf {
        pub blobs: RefCell<BTreeMap<Sha256Digest, Vec<u8>>>,
        pub orders: RefCell<BTreeMap<u64, RollbackOrder>>,
    }

    impl Shelf {
        pub fn new(blobs: &[&[u8]]) -> Self {
            let blobs = blobs.iter().map(|bytes| (Sha256Digest::of(bytes), bytes.to_vec())).collect();
            Self { blobs: RefCell::new(blobs), ..Self::default() }
        }
    }

    impl Portal for Shelf {
        fn open_orders(&self, _route: &str) -> Result<Vec<Listed>> {
            let named = |order: &RollbackOrder| Named { order: order.order, action: order.action };
            Ok(self.orders.borrow().iter().map(|(&entry, it)| Listed { entry, order: named(it) }).collect())
        }

        fn order(&self, entry: u64) -> Result<RollbackOrder> {
            Ok(self.orders.borrow()[&entry].clone())
        }

        fn blob(&self, digest: &Sha256Digest) -> Result<Option<Incoming>> {
            Ok(self.blobs.borrow().get(digest).map(|bytes| Incoming {
                bytes: Some(bytes.len() as u64),
                reader: Box::new(Cursor::new(bytes.clone())),
            }))
        }
    }
}
