//! A link on loopback that counts bytes and, if told so, is slow: bytes of the servers share one bandwidth, and each
//! way takes its time without holding back what follows.

use crate::common::place::Place;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

const CHUNK: usize = 16 * 1024;
/// Chunks that are on their way at once: more than the fastest slow link holds in its delay.
const ON_THE_WAY: usize = 64;
/// A sender that wakes up late may catch up so much.
const BURST: Duration = Duration::from_millis(5);

/// What the connections of all servers share.
#[derive(Default)]
pub struct Link {
    /// Bytes per second from the servers; `None`: as fast as it goes.
    rate: Option<f64>,
    delay: Duration,
    free_at: Mutex<Option<Instant>>,
    down: AtomicU64,
    up: AtomicU64,
}

impl Link {
    pub fn counting() -> Arc<Self> {
        Arc::default()
    }

    /// So many Mbit/s from the servers, 20 ms there and back.
    pub fn slow(mbits: u64) -> Arc<Self> {
        let rate = Some(mbits as f64 * 125_000.0);
        Arc::new(Self { rate, delay: Duration::from_millis(10), ..Self::default() })
    }

    /// Bytes from and to the servers since the last time.
    pub fn counted(&self) -> (u64, u64) {
        (self.down.swap(0, Ordering::Relaxed), self.up.swap(0, Ordering::Relaxed))
    }

    /// Waits until so many bytes more have gone through.
    fn take(&self, bytes: usize) {
        let Some(rate) = self.rate else { return };
        let now = Instant::now();
        let mut free_at = self.free_at.lock().unwrap();
        let begin = free_at.map_or(now, |free_at| free_at.max(now.checked_sub(BURST).unwrap_or(now)));
        let done = begin + Duration::from_secs_f64(bytes as f64 / rate);
        *free_at = Some(done);
        drop(free_at);
        std::thread::sleep(done.saturating_duration_since(now));
    }
}

/// Opens a way to a server through the link; gives the place behind it. It stays open until the bench ends.
pub fn through(link: &Arc<Link>, place: &Place) -> Place {
    let Some(server) = place.address() else { return place.clone() };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let link = Arc::clone(link);
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            connect(&link, client, TcpStream::connect((server.0.as_str(), server.1)).unwrap());
        }
    });
    place.behind(port)
}

fn connect(link: &Arc<Link>, client: TcpStream, server: TcpStream) {
    for stream in [&client, &server] {
        stream.set_nodelay(true).unwrap();
    }
    let (from_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let up = Arc::clone(link);
    one_way(from_client, server, link.delay, move |bytes| {
        up.up.fetch_add(bytes as u64, Ordering::Relaxed);
    });
    let down = Arc::clone(link);
    one_way(from_server, client, link.delay, move |bytes| {
        down.take(bytes);
        down.down.fetch_add(bytes as u64, Ordering::Relaxed);
    });
}

/// Passes bytes on, each chunk `delay` after it has gone past `gate`.
fn one_way(mut from: TcpStream, mut to: TcpStream, delay: Duration, gate: impl Fn(usize) + Send + 'static) {
    let (sender, receiver) = mpsc::sync_channel::<(Instant, Vec<u8>)>(ON_THE_WAY);
    std::thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(bytes @ 1..) = from.read(&mut buffer) {
            gate(bytes);
            if sender.send((Instant::now() + delay, buffer[..bytes].to_vec())).is_err() {
                break;
            }
        }
    });
    std::thread::spawn(move || {
        for (at, chunk) in receiver {
            std::thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&chunk).is_err() {
                break;
            }
        }
        drop(to.shutdown(Shutdown::Write));
    });
}
