//! What can go wrong, and how it is told.
//!
//! A [`Problem`] is for whoever asked: which field, what was found, what was expected, what to do. It never carries what
//! the server knows beyond that; internal causes go to the log, once, under an id that the answer quotes.

use axum::{
    Json,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// An error as the API answers it (RFC 9457, `application/problem+json`).
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Problem {
    /// `urn:acta:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The HTTP status.
    pub status: u16,
    /// A machine-readable reason.
    pub code: &'static str,
    /// What went wrong, in a sentence.
    pub detail: String,
    /// Which part of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// What was found there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What is expected there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// A problem's code on the answer that tells of it, for whoever counts answers.
#[derive(Debug, Clone, Copy)]
pub struct Reason(pub &'static str);

/// The result of whatever answers a request.
pub type Answer<T> = Result<T, Problem>;

impl Problem {
    /// A problem with a status, a code and a sentence.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:acta:problem:{code}"),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            field: None,
            found: None,
            expected: None,
        }
    }

    /// There is no such thing, or the asker may not know of it.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    /// The request cannot be understood.
    pub fn bad_request(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    /// The request can be understood and is refused for what it says.
    pub fn refused(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail)
    }

    /// The asker has not said who they are, or is not believed.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// The asker may not do this.
    pub fn forbidden(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, detail)
    }

    /// Nothing wrong with the request; the server cannot take it now.
    pub fn unavailable(code: &'static str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, detail)
    }

    /// Logs the cause under an id and answers with the id alone.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        let id = uuid::Uuid::now_v7().simple().to_string();
        tracing::error!(error.id = %id, cause = %cause, "a request failed inside the server");
        let detail = format!("the server failed; whoever runs it finds the cause in its log under {id}");
        Self { found: Some(id), ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail) }
    }

    /// Names the part of the request.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Says what was found there.
    pub fn found(mut self, found: impl ToString) -> Self {
        self.found = Some(found.to_string().chars().take(200).collect());
        self
    }

    /// Says what is expected there.
    pub fn expected(mut self, expected: impl ToString) -> Self {
        self.expected = Some(expected.to_string());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&self)).into_response();
        response.extensions_mut().insert(Reason(self.code));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, header::HeaderValue::from_static("2"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer realm=\"acta\""));
        }
        response
    }
}

/// The disk is full, and the request left nothing behind.
pub fn disk_full() -> Problem {
    let said = "the server's disk is full; nothing was stored";
    Problem::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", said)
}

/// Whether somewhere below an error the disk was full.
fn is_storage_full(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::StorageFull)
}

impl From<sqlx::Error> for Problem {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(database) if database.code().as_deref() == Some("13") => disk_full(),
            _ => Self::internal(format_args!("database: {error}")),
        }
    }
}

impl From<crate::blob::BlobError> for Problem {
    fn from(error: crate::blob::BlobError) -> Self {
        use crate::blob::BlobError;
        match error {
            BlobError::Digest { found, expected } => Self::refused(
                "wrong_digest",
                "the bytes do not have the digest of their address; nothing was stored",
            )
            .field("digest")
            .found(found)
            .expected(expected),
            BlobError::TooLarge { limit } => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "blob_too_large",
                format!("a blob may have {limit} bytes; nothing was stored"),
            ),
            BlobError::Interrupted(cause) => Self::bad_request(
                "interrupted",
                format!("the bytes ended early, nothing was stored: {cause}"),
            ),
            BlobError::Store(cause) if is_storage_full(&cause) => disk_full(),
            BlobError::Store(cause) => Self::internal(format_args!("blob store: {cause}")),
        }
    }
}
