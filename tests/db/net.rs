//! Servers that misbehave: a relay between the program and a real server, and one that accepts and never speaks.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What a relay does to what passes through it.
#[derive(Clone, Debug, Default)]
pub struct Mischief {
    /// Cuts a connection once the server has said so many bytes on it.
    pub cut_after: Option<usize>,
    /// Cuts so many connections, and none after.
    pub cuts: usize,
    /// Goes silent, with the connection open, where it would cut.
    pub silent: bool,
    /// Lets so many bytes a second pass from the server, on all connections together.
    pub rate: Option<u64>,
    /// Replaces what the client says: bytes, and as many others.
    pub replace: Option<(&'static [u8], &'static [u8])>,
}

/// A relay on loopback. Its threads end with the test program.
pub struct Relay {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    target: String,
    mischief: Mischief,
    cuts_left: AtomicUsize,
    connections: AtomicUsize,
    longest: AtomicUsize,
    said: Mutex<Vec<u8>>,
    pace: Mutex<()>,
}

impl Relay {
    /// Stands before the server at `target`, `host:port`.
    pub fn new(target: &str, mischief: Mischief) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            target: target.to_owned(),
            cuts_left: AtomicUsize::new(mischief.cuts),
            mischief,
            connections: AtomicUsize::new(0),
            longest: AtomicUsize::new(0),
            said: Mutex::new(Vec::new()),
            pace: Mutex::new(()),
        });
        let relay = Self { port, shared: Arc::clone(&shared) };
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                shared.clone().serve(&client);
            }
        });
        relay
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many bytes the server has said on the connection on which it said the most.
    pub fn longest(&self) -> usize {
        self.shared.longest.load(Ordering::SeqCst)
    }

    /// How many connections were cut.
    pub fn cuts(&self) -> usize {
        self.shared.mischief.cuts - self.shared.cuts_left.load(Ordering::SeqCst)
    }

    /// How often the server said these bytes.
    pub fn heard(&self, bytes: &[u8]) -> usize {
        self.shared.said.lock().unwrap().windows(bytes.len()).filter(|window| *window == bytes).count()
    }
}

impl Shared {
    fn serve(self: Arc<Self>, client: &TcpStream) {
        self.connections.fetch_add(1, Ordering::SeqCst);
        let Ok(server) = TcpStream::connect(&self.target) else { return };
        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let shared = Arc::clone(&self);
        thread::spawn(move || shared.client_to_server(from, to));
        let client = client.try_clone().unwrap();
        thread::spawn(move || self.server_to_client(server, client));
    }

    fn client_to_server(&self, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let said = &mut buffer[..length];
            if let Some((what, with)) = self.mischief.replace {
                replace(said, what, with);
            }
            if to.write_all(said).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    }

    fn server_to_client(&self, mut from: TcpStream, mut to: TcpStream) {
        let (mut buffer, mut passed) = ([0; 16 * 1024], 0);
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            passed += length;
            if self.mischief.cut_after.is_some_and(|most| passed > most) && self.take_cut() {
                if self.mischief.silent {
                    thread::park();
                }
                break;
            }
            if let Some(rate) = self.mischief.rate {
                let _alone = self.pace.lock().unwrap();
                thread::sleep(Duration::from_micros(length as u64 * 1_000_000 / rate));
            }
            self.longest.fetch_max(passed, Ordering::SeqCst);
            self.said.lock().unwrap().extend_from_slice(&buffer[..length]);
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    }

    fn take_cut(&self) -> bool {
        self.cuts_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
    }
}

fn replace(said: &mut [u8], what: &[u8], with: &[u8]) {
    assert_eq!(what.len(), with.len(), "lengths stand in the protocol's headers");
    let places: Vec<_> = (0..=said.len().saturating_sub(what.len()))
        .filter(|at| said.get(*at..at + what.len()) == Some(what))
        .collect();
    for at in places {
        said[at..at + what.len()].copy_from_slice(with);
    }
}

/// A server that accepts connections and never says a word.
pub struct Silent {
    pub port: u16,
    listener: TcpListener,
}

impl Silent {
    pub fn new() -> Self {
        // Never accepted by hand: the system completes the handshake and nobody answers.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Self { port: listener.local_addr().unwrap().port(), listener }
    }

    /// Whether it still stands.
    pub fn stands(&self) -> bool {
        self.listener.local_addr().is_ok()
    }
}

/// `host:port` of a URL.
pub fn host_and_port(url: &str) -> &str {
    let (_, place) = url.rsplit_once('@').unwrap();
    place.split_once('/').unwrap().0
}

/// The same URL at another port of loopback.
pub fn at_port(url: &str, port: u16) -> String {
    url.replace(host_and_port(url), &format!("127.0.0.1:{port}"))
}
