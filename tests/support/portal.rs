//! A person at the portal.

use serde_json::{Value, json};
use ureq::{Agent, http::StatusCode};

use crate::process::Server;

/// A person who has signed in.
pub struct Person {
    http: Agent,
    base: String,
    cookie: String,
}

impl Person {
    /// Adds an account to a running server and signs in.
    ///
    /// # Panics
    ///
    /// If the server does not take it.
    pub fn sign_in(server: &Server, name: &str, role: &str) -> Self {
        let password = "correct horse battery staple";
        let arguments = ["user", "add", name, "--role", role, "--password-stdin"];
        let added = server.run(&arguments, &format!("{password}\n"));
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        let config = Agent::config_builder().http_status_as_error(false);
        let http = config.max_redirects(0).max_redirects_will_error(false).build().new_agent();
        let base = server.url();
        let form = [("name", name), ("password", password)];
        let answer = http.post(format!("{base}/sign-in")).send_form(form).expect("an answer");
        let cookie = answer.headers()["set-cookie"].to_str().expect("text").split(';').next();
        Self { http, base, cookie: cookie.unwrap_or_default().to_owned() }
    }

    /// Reads JSON; none where the answer is another than 200, or none comes.
    pub fn get(&self, path: &str) -> Option<Value> {
        let answer = self.http.get(format!("{}{path}", self.base)).header("cookie", &self.cookie).call();
        let mut answer = answer.ok().filter(|answer| answer.status() == StatusCode::OK)?;
        serde_json::from_slice(&answer.body_mut().read_to_vec().ok()?).ok()
    }

    /// Reads a page.
    ///
    /// # Panics
    ///
    /// If there is no answer.
    pub fn page(&self, path: &str) -> String {
        let answer = self.http.get(format!("{}{path}", self.base)).header("cookie", &self.cookie).call();
        answer.expect("an answer").into_body().read_to_string().expect("text")
    }

    /// The cookie of the session.
    pub fn cookie(&self) -> &str {
        &self.cookie
    }

    /// Posts JSON and reads the JSON that comes back, whatever its status.
    ///
    /// # Panics
    ///
    /// If there is no answer.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let request = self.http.post(format!("{}{path}", self.base)).header("cookie", &self.cookie);
        let answer = request.content_type("application/json").send(body.to_string()).expect("an answer");
        serde_json::from_slice(&answer.into_body().read_to_vec().expect("a body")).expect("JSON")
    }

    /// Asks for a cancel of a build that runs.
    ///
    /// # Panics
    ///
    /// If there is no answer.
    pub fn cancel(&self, run: &str, reason: &str) -> Value {
        self.post(&format!("/api/v1/live/{run}/cancel"), &json!({ "reason": reason }))
    }
}
