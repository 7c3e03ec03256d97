//! A build that an editor asks for and stops: `acta build --ide`, spoken to as an editor speaks.

use std::{
    io::{BufReader, Read, Write},
    process::Stdio,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    Made, Maker,
    process::{Printed, failed, follow, tell},
};
use crate::{
    builder::ide::frame::{Frames, encode},
    error::Result,
};

/// The id of the one request.
const REQUEST: u64 = 1;

/// The token of its progress.
const TOKEN: &str = "acceptance";

impl Maker<'_> {
    /// Asks for the build as an editor does, and presses its stop button so long after the build call's begin was
    /// reported.
    pub(super) fn editor(&self, arguments: &[String], after: Duration) -> Result<Made> {
        let mut child = self.start(arguments, "--ide", Stdio::piped())?;
        let (to, from, beside) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (sender, words) = mpsc::channel();
        let errors = sender.clone();
        // The pipe stays open until the answer is there: an editor that closes it is gone, and cancels.
        let mut to = to;
        let mut say = |message: &Value| {
            // A build that is gone has its own word for it.
            to.as_mut().map(|to| to.write_all(&encode(message)).and_then(|()| to.flush()).ok());
        };
        say(&json!({
            "jsonrpc": "2.0", "id": REQUEST, "method": "acta/build", "params": { "workDoneToken": TOKEN },
        }));
        let answer = thread::spawn(move || from.and_then(|from| listen(from, &sender)));
        thread::spawn(move || beside.map(|beside| tell(beside, &errors)));
        let heard = follow(&words, Some(after), |_| {
            say(&json!({
                "jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": { "token": TOKEN },
            }));
        });
        drop(to);
        let status = self.end(&mut child);
        let answer = answer.join().ok().flatten();
        let printed =
            answer.map(|answer| (serde_json::from_value::<Printed>(answer["result"].clone()), answer));
        match printed {
            Some((Ok(printed), _)) => Ok(printed.made(&heard)),
            Some((Err(_), answer)) => {
                let found = answer["error"]["message"].as_str().unwrap_or("no result").to_owned();
                Err(failed(arguments, "the editor was answered without evidence", found))
            }
            None => {
                let found = format!("{status}: {}", heard.said);
                Err(failed(arguments, "the editor was not answered", found))
            }
        }
    }
}

/// Hears the session to its end: the progress is told on, the answer to the request comes back.
fn listen(from: impl Read, progress: &mpsc::Sender<String>) -> Option<Value> {
    let mut frames = Frames::new(BufReader::new(from));
    let mut answer = None;
    while let Ok(Some(body)) = frames.next() {
        let Ok(message) = serde_json::from_slice::<Value>(&body) else { continue };
        if message["id"] == REQUEST {
            answer = Some(message);
        } else if message["method"] == "$/progress"
            && message["params"]["token"] == TOKEN
            && let Some(words) = message["params"]["value"]["message"].as_str()
        {
            progress.send(words.to_owned()).ok();
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_on_and_the_answer_comes_back() {
        let report = |token: &str, words: &str| {
            let value = json!({ "kind": "report", "message": words });
            json!({ "jsonrpc": "2.0", "method": "$/progress", "params": { "token": token, "value": value } })
        };
        let answer = json!({ "jsonrpc": "2.0", "id": REQUEST, "result": {} });
        let session = [
            report(TOKEN, "building: a"),
            report("another", "not ours"),
            json!({ "jsonrpc": "2.0", "id": 2, "error": {} }),
            answer.clone(),
        ];
        let bytes = session.iter().flat_map(encode).collect::<Vec<u8>>();
        let (sender, words) = mpsc::channel();
        assert_eq!(listen(&bytes[..], &sender), Some(answer));
        drop(sender);
        assert_eq!(words.iter().collect::<Vec<_>>(), ["building: a"]);
        let (sender, _words) = mpsc::channel();
        assert_eq!(listen(&bytes[..10], &sender), None);
    }
}
