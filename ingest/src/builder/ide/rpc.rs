//! JSON-RPC 2.0: what an editor's message means, and what is answered.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The message is no JSON.
pub const PARSE_ERROR: i64 = -32700;
/// The message is JSON, and no request.
pub const INVALID_REQUEST: i64 = -32600;
/// There is no such method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The parameters are not what the method takes.
pub const INVALID_PARAMS: i64 = -32602;

/// A request's id: a number or a text, or null where it could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Id(Value);

impl Id {
    /// The id of a message whose id is not known.
    pub fn none() -> Self {
        Self(Value::Null)
    }
}

/// The editor's request for the build.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its id.
    pub id: Id,
    /// The token under which progress is reported; none where the editor wants none.
    pub token: Option<Value>,
    /// Why it is to stop, where the editor said so before the build began.
    pub stopped: Arc<Mutex<Option<String>>>,
}

/// What a message means.
#[derive(Debug)]
pub enum Word {
    /// Build.
    Build(Asked),
    /// Stop the request of this id.
    CancelRequest(Id),
    /// Stop what is reported under this token.
    CancelProgress(Option<Value>),
    /// A request for something else.
    Unknown {
        /// Its id.
        id: Id,
        /// The method.
        method: String,
    },
    /// A notification or an answer that means nothing here.
    Other,
}

/// Why a message means nothing: its id, a code, and words.
type Wrong = (Id, i64, String);

/// Reads a message.
pub fn read(body: &[u8]) -> Result<Word, Wrong> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| (Id::none(), PARSE_ERROR, error.to_string()))?;
    let id = value.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
    let wrong = |code, what: &str| Err((id.clone().map_or_else(Id::none, Id), code, what.to_owned()));
    if !value.is_object() || value["jsonrpc"] != "2.0" {
        return wrong(INVALID_REQUEST, "expected one object with \"jsonrpc\": \"2.0\"");
    }
    if value.get("id").is_some_and(|id| !id.is_null()) && id.is_none() {
        return wrong(INVALID_REQUEST, "id: expected a number or a text");
    }
    let method = match value.get("method") {
        Some(Value::String(method)) => method.as_str(),
        Some(_) => return wrong(INVALID_REQUEST, "method: expected a text"),
        None if value.get("result").is_some() || value.get("error").is_some() => return Ok(Word::Other),
        None => return wrong(INVALID_REQUEST, "method: expected a text, found nothing"),
    };
    let params = value.get("params").cloned().unwrap_or(Value::Null);
    let token =
        |name: &str| params.get(name).filter(|token| token.is_string() || token.is_i64() || token.is_u64());
    match (method, &id) {
        ("acta/build", Some(id)) => {
            if params.get("workDoneToken").is_some() && token("workDoneToken").is_none() {
                return wrong(INVALID_PARAMS, "params.workDoneToken: expected a number or a text");
            }
            let token = token("workDoneToken").cloned();
            Ok(Word::Build(Asked { id: Id(id.clone()), token, stopped: Arc::default() }))
        }
        ("acta/build", None) => {
            wrong(INVALID_REQUEST, "id: expected a number or a text: the build is answered")
        }
        ("$/cancelRequest", _) => match token("id") {
            Some(id) => Ok(Word::CancelRequest(Id(id.clone()))),
            None => wrong(INVALID_PARAMS, "params.id: expected the id of the request"),
        },
        ("window/workDoneProgress/cancel", _) => match token("token") {
            Some(token) => Ok(Word::CancelProgress(Some(token.clone()))),
            None => wrong(INVALID_PARAMS, "params.token: expected the token of the progress"),
        },
        (method, Some(id)) => {
            Ok(Word::Unknown { id: Id(id.clone()), method: method.chars().take(80).collect() })
        }
        (_, None) => Ok(Word::Other),
    }
}

/// An answer.
pub fn result(id: &Id, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id.0, "result": result })
}

/// A refusal.
pub fn error(id: &Id, code: i64, message: &str, data: Option<Value>) -> Value {
    let mut error = json!({ "code": code, "message": message });
    if let Some(data) = data {
        error["data"] = data;
    }
    json!({ "jsonrpc": "2.0", "id": id.0, "error": error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_messages_mean() {
        let word = |text: &str| read(text.as_bytes()).unwrap();
        let build = r#"{"jsonrpc":"2.0","id":1,"method":"acta/build","params":{"workDoneToken":"t"}}"#;
        assert!(
            matches!(word(build), Word::Build(asked) if asked.token == Some(json!("t")) && asked.id == Id(json!(1)))
        );
        let cancel = r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}"#;
        assert!(matches!(word(cancel), Word::CancelRequest(id) if id == Id(json!(1))));
        let stop = r#"{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"t"}}"#;
        assert!(matches!(word(stop), Word::CancelProgress(Some(token)) if token == "t"));
        let other = r#"{"jsonrpc":"2.0","id":"a","method":"initialize"}"#;
        assert!(matches!(word(other), Word::Unknown { method, .. } if method == "initialize"));
        for nothing in
            [r#"{"jsonrpc":"2.0","method":"initialized"}"#, r#"{"jsonrpc":"2.0","id":9,"result":null}"#]
        {
            assert!(matches!(word(nothing), Word::Other), "{nothing}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_code() {
        for (text, code, words) in [
            ("{", PARSE_ERROR, "EOF"),
            ("[]", INVALID_REQUEST, "one object"),
            (r#"{"id":1,"method":"acta/build"}"#, INVALID_REQUEST, "2.0"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"acta/build"}"#, INVALID_REQUEST, "id"),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, INVALID_REQUEST, "method"),
            (r#"{"jsonrpc":"2.0","id":1}"#, INVALID_REQUEST, "method"),
            (r#"{"jsonrpc":"2.0","method":"acta/build"}"#, INVALID_REQUEST, "answered"),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"acta/build","params":{"workDoneToken":[]}}"#,
                INVALID_PARAMS,
                "workDoneToken",
            ),
            (r#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#, INVALID_PARAMS, "params.id"),
        ] {
            let (_, found, what) = read(text.as_bytes()).unwrap_err();
            assert!(found == code && what.contains(words), "{text}: {found} {what}");
        }
    }
}
