//! A peer on the loopback: it keeps what it is sent, and answers as it is told to.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// What it does with a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Answers with this status, these headers and this body.
    Say(u16, Vec<(&'static str, String)>, String),
    /// Answers with this status, and repeats everything that it was sent.
    Echo(u16),
    /// Takes what it is sent, and answers with this status after so long.
    Slow(Duration, u16),
    /// Says nothing until the test ends.
    Silent,
    /// Promises more than it sends, and closes.
    Half,
    /// Sends what never ends.
    Huge,
    /// Closes without a word.
    Close,
    /// Says something that is no HTTP.
    Noise,
}

/// An answer without headers.
pub fn say(status: u16, body: &str) -> Reply {
    Reply::Say(status, Vec::new(), body.to_owned())
}

/// What it was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub method: String,
    pub path: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    pub body: String,
    /// Request line and headers as they came.
    pub head: String,
}

impl Sent {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub struct Peer {
    port: u16,
    sent: Arc<Mutex<Vec<Sent>>>,
    over: Arc<AtomicBool>,
    door: Option<JoinHandle<()>>,
}

impl Peer {
    /// Answers the first request with the first reply and so on; the last stands for all that follow.
    pub fn new(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sent, over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (kept, ends, replies) = (Arc::clone(&sent), Arc::clone(&over), replies.to_vec());
        let door = thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                if ends.load(Ordering::Relaxed) {
                    break;
                }
                let reply = replies.get(number).or(replies.last()).unwrap().clone();
                let (kept, ends) = (Arc::clone(&kept), Arc::clone(&ends));
                thread::spawn(move || serve(&stream.unwrap(), &reply, &kept, &ends));
            }
        });
        Self { port, sent, over, door: Some(door) }
    }

    /// A URL with what follows the port.
    pub fn url(&self, rest: &str) -> String {
        format!("http://127.0.0.1:{}{rest}", self.port)
    }

    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What it was sent so far.
    pub fn sent(&self) -> Vec<Sent> {
        self.sent.lock().unwrap().clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        if let Some(door) = self.door.take() {
            let _ = door.join();
        }
    }
}

fn serve(mut stream: &TcpStream, reply: &Reply, kept: &Mutex<Vec<Sent>>, over: &AtomicBool) {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let Some(sent) = read(stream) else { return };
    kept.lock().unwrap().push(sent.clone());
    // Whoever has heard enough may go.
    let _ = match reply {
        Reply::Say(status, headers, body) => {
            let headers: Vec<_> =
                headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let headers = headers.concat();
            let length = body.len();
            stream.write_all(
                format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\n\r\n{body}").as_bytes(),
            )
        }
        Reply::Echo(status) => {
            let body = format!("{}{}", sent.head, sent.body);
            let length = body.len();
            stream.write_all(
                format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\n\r\n{body}").as_bytes(),
            )
        }
        Reply::Slow(wait, status) => {
            thread::sleep(*wait);
            stream.write_all(format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n").as_bytes())
        }
        Reply::Silent => {
            while !over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(20));
            }
            Ok(())
        }
        Reply::Half => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"code\":0"),
        Reply::Huge => endless(stream, over),
        Reply::Close => Ok(()),
        Reply::Noise => stream.write_all(b"220 mail.example.com ESMTP\r\n"),
    };
    let _ = stream.shutdown(Shutdown::Both);
}

fn endless(mut stream: &TcpStream, over: &AtomicBool) -> std::io::Result<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    while !over.load(Ordering::Relaxed) {
        stream.write_all(chunk.as_bytes())?;
    }
    Ok(())
}

fn read(stream: &TcpStream) -> Option<Sent> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers: BTreeMap<_, _> =
        headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let url = url::Url::parse(&format!("http://peer{target}")).unwrap();
    Some(Sent {
        method,
        path: url.path().to_owned(),
        query: url.query_pairs().into_owned().collect(),
        headers,
        body: String::from_utf8(body).unwrap(),
        head,
    })
}
