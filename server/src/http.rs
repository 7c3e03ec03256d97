//! HTTP: the router, the pages, the forms and the API.

pub mod api;
pub mod client;
pub mod compression;
pub mod connection;
pub mod export;
pub mod forms;
pub mod json;
pub mod limit;
pub mod live;
pub mod observe;
pub mod operators;
pub mod pages;
pub mod router;
pub mod security;
