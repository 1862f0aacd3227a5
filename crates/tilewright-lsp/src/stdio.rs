//! Messages over stdin and stdout. The lengths that an editor says are not believed: memory grows with what arrives.

use crate::{ServeError, serve};
use lsp_server::{Connection, Message, Notification};
use std::{
    io::{self, BufRead, Read as _},
    thread::{self, JoinHandle},
};

/// The longest line of a head that is read.
const LONGEST_LINE: u64 = 4096;

/// Serves an editor over stdin and stdout, until it says that it is enough.
///
/// # Errors
/// When the editor breaks the protocol, or goes away.
pub fn serve_stdio() -> Result<(), ServeError> {
    let (connection, editor) = Connection::memory();
    let (sender, receiver) = (editor.sender, editor.receiver);
    let reader = thread::spawn(move || -> io::Result<()> {
        let mut stdin = io::stdin().lock();
        while let Some(message) = read(&mut stdin)? {
            let is_exit = matches!(&message, Message::Notification(Notification { method, .. }) if method == "exit");
            // Who was served has no more to hear.
            if sender.send(message).is_err() || is_exit {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || receiver.into_iter().try_for_each(|message| message.write(&mut io::stdout().lock())));
    let served = serve(&connection);
    let nothing_more = connection.receiver.try_recv().is_err_and(|error| error.is_disconnected());
    drop(connection);
    match served {
        Ok(()) => join(reader).and_then(|()| join(writer)),
        // Why there is nothing more to read says more than that there is not.
        Err(error @ ServeError::Protocol(_)) if nothing_more => join(reader).and(Err(error)),
        Err(error) => Err(error),
    }
}

fn join(thread: JoinHandle<io::Result<()>>) -> Result<(), ServeError> {
    thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread panicked"))).map_err(ServeError::Io)
}

/// The next message; `None` at the end.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let (mut message, mut length) = (Vec::new(), 0);
    loop {
        let start = message.len();
        if input.take(LONGEST_LINE).read_until(b'\n', &mut message)? == 0 {
            return Ok(None);
        }
        let line = message[start..].trim_ascii();
        if line.is_empty() {
            break;
        }
        length = content_length(line).unwrap_or(length);
    }
    let head = message.len();
    input.take(length).read_to_end(&mut message)?;
    let there = (message.len() - head) as u64;
    if there < length {
        let what = format!("a message of {length} bytes ended after {there}");
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, what));
    }
    Message::read(&mut &*message)
}

/// The number in `Content-Length: N`.
fn content_length(line: &[u8]) -> Option<u64> {
    let (name, value) = std::str::from_utf8(line).ok()?.split_once(':')?;
    name.eq_ignore_ascii_case("Content-Length").then(|| value.trim().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXIT: &str = r#"{"jsonrpc":"2.0","method":"exit"}"#;

    fn read_text(text: &str) -> io::Result<Option<String>> {
        Ok(read(&mut text.as_bytes())?.map(|message| serde_json::to_string(&message).unwrap()))
    }

    #[test]
    fn messages_are_read_whole() {
        let text = format!("Content-Type: x\r\ncontent-length: {}\r\n\r\n{EXIT}Content-Length", EXIT.len());
        assert!(read_text(&text).unwrap().unwrap().contains("exit"));
        assert_eq!(read_text("").unwrap(), None);
    }

    #[test]
    fn lengths_are_not_believed() {
        for length in ["99999999999999", "18446744073709551615", "300"] {
            let error = read_text(&format!("Content-Length: {length}\r\n\r\n{EXIT}")).unwrap_err();
            assert_eq!(error.to_string(), format!("a message of {length} bytes ended after {}", EXIT.len()));
        }
        for head in ["Content-Length: -1", "Content-Length: 18446744073709551616", "nothing", &"x".repeat(100_000)] {
            assert!(read_text(&format!("{head}\r\n\r\n{EXIT}")).is_err(), "{head}");
        }
    }
}
