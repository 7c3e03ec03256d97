//! JSON bodies: strict, and refused in the API's own words.

use acta_ledger::log::jcs;
use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use serde::de::DeserializeOwned;

use crate::error::{Answer, Problem};

/// A JSON body of a type.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| {
            Problem::new(rejection.status(), "unreadable_body", "the body cannot be read, or is too long")
        })?;
        parse(&bytes).map(Self)
    }
}

/// Reads a JSON body: duplicate keys, deep nesting and lone surrogates are refused before its shape is looked at.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Answer<T> {
    let refused = |error: &dyn std::fmt::Display| {
        Problem::bad_request("malformed_json", error.to_string()).field("body")
    };
    jcs::parse(bytes).map_err(|error| refused(&error))?;
    // From the bytes again, so that the message names line and column.
    serde_json::from_slice(bytes)
        .map_err(|error| Problem::refused("malformed_body", error.to_string()).field("body"))
}
