//! What a form sent, and the way back to its page with everything that was typed.

use acta_app::address::percent_encode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::de::DeserializeOwned;

use super::check_form_token;
use crate::{
    auth::extract::Asking,
    error::{Answer, Problem},
};

/// A form's fields in the order in which they were sent; a field may come several times.
pub struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a form's body.
    pub fn parse(body: &[u8]) -> Answer<Self> {
        let text = std::str::from_utf8(body)
            .map_err(|_| Problem::bad_request("malformed_form", "the form is not text").field("body"))?;
        Ok(Self(acta_app::address::query_pairs(text).collect()))
    }

    /// The first value of a field that is not empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        let given = |(key, value): &&(String, String)| key == name && !value.trim().is_empty();
        self.0.iter().find(given).map(|(_, value)| value.as_str())
    }

    /// Every value of a field.
    pub fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A field that must be there.
    pub fn needed(&self, name: &'static str) -> Answer<&str> {
        self.get(name).ok_or_else(|| Problem::bad_request("missing_field", "a field is missing").field(name))
    }

    /// A code of one of the evidence's enums.
    pub fn code<T: DeserializeOwned>(&self, name: &'static str) -> Answer<Option<T>> {
        let Some(text) = self.get(name) else { return Ok(None) };
        serde_json::from_value(serde_json::Value::String(text.to_owned()))
            .map(Some)
            .map_err(|error| Problem::bad_request("bad_code", error.to_string()).field(name).found(text))
    }

    /// Back to a page with everything that was typed but secrets, and what was wrong.
    pub fn back(&self, page: &str, problem: &Problem) -> Response {
        self.back_without(page, problem, &[])
    }

    /// The same without some more fields.
    pub fn back_without(&self, page: &str, problem: &Problem, secrets: &[&str]) -> Response {
        let secret = |name: &str| ["password", "form_token"].contains(&name) || secrets.contains(&name);
        let kept = self.0.iter().filter(|(name, _)| !secret(name));
        let mut address = format!("{page}?error={}", percent_encode(problem.code));
        for (name, value) in kept.chain([&("detail".to_owned(), problem.detail.clone())]) {
            address.push_str(&format!("&{}={}", percent_encode(name), percent_encode(value)));
        }
        Redirect::to(&address).into_response()
    }
}

/// Reads a form and refuses it if it is not of this person's session.
pub fn received(asking: &Asking, body: &[u8]) -> Answer<Fields> {
    let fields = Fields::parse(body)?;
    check_form_token(asking, fields.get("form_token").unwrap_or_default())?;
    Ok(fields)
}
