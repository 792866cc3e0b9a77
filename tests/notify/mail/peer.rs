//! A mail server over the loopback, which does as a script says and remembers what it hears.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Longer than any test waits for an answer.
const IDLE: Duration = Duration::from_secs(10);

/// How the server speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// In the clear first, then TLS.
    StartTls,
    /// TLS from the first byte.
    Implicit,
    /// Never TLS.
    Clear,
    /// It accepts connections and says nothing.
    Silent,
}

/// What the server does.
#[derive(Clone)]
pub struct Script {
    pub mode: Mode,
    /// The only login that it takes; without one it offers none.
    pub login: Option<(String, String)>,
    pub mechanisms: String,
    pub wrong_login: String,
    /// Recipients that are refused, and the answers.
    pub refuse: Vec<(String, String)>,
    /// In so many sessions.
    pub refuse_times: usize,
    /// Greetings of the first sessions instead of `220`.
    pub greetings: Vec<String>,
    /// Answers to the first messages instead of `250`.
    pub data_answers: Vec<String>,
    /// What `SIZE` says.
    pub size: Option<usize>,
    /// Longer messages are refused when they have come.
    pub data_max: usize,
    pub too_large: String,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            mode: Mode::StartTls,
            login: None,
            mechanisms: "PLAIN LOGIN".to_owned(),
            wrong_login: "535 5.7.8 authentication failed".to_owned(),
            refuse: Vec::new(),
            refuse_times: usize::MAX,
            greetings: Vec::new(),
            data_answers: Vec::new(),
            size: None,
            data_max: usize::MAX,
            too_large: "552 5.3.4 Message size exceeds fixed limit".to_owned(),
        }
    }
}

/// A command.
#[derive(Clone, Debug)]
pub struct Line {
    pub encrypted: bool,
    pub text: String,
}

/// A message that was taken.
#[derive(Clone, Debug)]
pub struct Taken {
    pub from: String,
    pub to: Vec<String>,
    pub data: Vec<u8>,
}

/// Everything that the server heard.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    pub sessions: usize,
    pub lines: Vec<Line>,
    pub mails: Vec<Taken>,
    pub logins: usize,
    /// Messages that were too long.
    pub refused_data: usize,
}

/// A running server; its threads end with their connections.
pub struct Peer {
    pub port: u16,
    /// The authority that vouches for it.
    pub ca_file: PathBuf,
    heard: Arc<Mutex<Heard>>,
    _folder: tempfile::TempDir,
}

impl Peer {
    pub fn start(script: Script) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ca_file = folder.path().join("ca.pem");
        let (ca, config) = certificate();
        std::fs::write(&ca_file, ca).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Heard::default()));
        let (theirs, config) = (Arc::clone(&heard), Arc::new(config));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (script, heard, config) = (script.clone(), Arc::clone(&theirs), Arc::clone(&config));
                std::thread::spawn(move || serve(stream, script, &heard, config));
            }
        });
        Self { port, ca_file, heard, _folder: folder }
    }

    pub fn heard(&self) -> Heard {
        self.heard.lock().unwrap().clone()
    }
}

/// An authority of its own, and what a server for `localhost` needs.
fn certificate() -> (String, ServerConfig) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let ca_key = KeyPair::generate().unwrap();
    let ca = params.self_signed(&ca_key).unwrap();
    let issuer = Issuer::new(params, ca_key);
    let key = KeyPair::generate().unwrap();
    let leaf =
        CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let chain = vec![CertificateDer::from(leaf.der().to_vec())];
    let key = PrivatePkcs8KeyDer::from(key.serialize_der());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key.into())
        .unwrap();
    (ca.pem(), config)
}

trait Wire: Read + Write + Send {}
impl<T: Read + Write + Send> Wire for T {}

struct Session<'a> {
    script: Script,
    heard: &'a Mutex<Heard>,
    number: usize,
    encrypted: bool,
    from: String,
    to: Vec<String>,
}

fn serve(stream: TcpStream, script: Script, heard: &Mutex<Heard>, config: Arc<ServerConfig>) {
    stream.set_read_timeout(Some(IDLE)).unwrap();
    let number = {
        let mut heard = heard.lock().unwrap();
        heard.sessions += 1;
        heard.sessions - 1
    };
    let mode = script.mode;
    let mut session =
        Session { script, heard, number, encrypted: false, from: String::new(), to: Vec::new() };
    match mode {
        Mode::Silent => {
            let _ = (&stream).read(&mut [0; 64]);
        }
        Mode::Implicit => session.secure(stream, config, true),
        Mode::StartTls | Mode::Clear => {
            let mut plain = BufReader::new(Box::new(stream.try_clone().unwrap()) as Box<dyn Wire>);
            session.greet(&mut plain);
            if session.talk(&mut plain) {
                session.secure(stream, config, false);
            }
        }
    }
}

impl Session<'_> {
    fn secure(&mut self, stream: TcpStream, config: Arc<ServerConfig>, greets: bool) {
        let connection = ServerConnection::new(config).unwrap();
        let mut wire = BufReader::new(Box::new(StreamOwned::new(connection, stream)) as Box<dyn Wire>);
        self.encrypted = true;
        if greets {
            self.greet(&mut wire);
        }
        self.talk(&mut wire);
    }

    fn greet(&self, wire: &mut BufReader<Box<dyn Wire>>) {
        let greeting = self.script.greetings.get(self.number).map_or("220 peer ready", String::as_str);
        say(wire, greeting);
    }

    /// Answers commands; `true` when TLS is to begin.
    fn talk(&mut self, wire: &mut BufReader<Box<dyn Wire>>) -> bool {
        while let Some(line) = hear(wire) {
            self.heard.lock().unwrap().lines.push(Line { encrypted: self.encrypted, text: line.clone() });
            let word = line.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
            let answer = match word.as_str() {
                "EHLO" => self.offers(),
                "STARTTLS" => {
                    say(wire, "220 go ahead");
                    return true;
                }
                "AUTH" => self.log_in(wire, &line),
                "MAIL" => self.begin(&line),
                "RCPT" => self.recipient(&line),
                "DATA" => self.data(wire),
                "RSET" => {
                    self.to.clear();
                    "250 forgotten".to_owned()
                }
                "QUIT" => "221 bye".to_owned(),
                _ => "502 not known".to_owned(),
            };
            say(wire, &answer);
            if word == "QUIT" {
                return false;
            }
        }
        false
    }

    fn offers(&self) -> String {
        let mut offers = vec!["peer".to_owned(), "8BITMIME".to_owned()];
        if self.script.mode == Mode::StartTls && !self.encrypted {
            offers.push("STARTTLS".to_owned());
        }
        if self.script.login.is_some() {
            offers.push(format!("AUTH {}", self.script.mechanisms));
        }
        offers.extend(self.script.size.map(|size| format!("SIZE {size}")));
        let last = offers.len() - 1;
        let line =
            |(place, offer): (usize, &String)| format!("250{}{offer}", if place < last { "-" } else { " " });
        offers.iter().enumerate().map(line).collect::<Vec<_>>().join("\r\n")
    }

    fn log_in(&self, wire: &mut BufReader<Box<dyn Wire>>, line: &str) -> String {
        let words: Vec<_> = line.split(' ').collect();
        let given = match (words.get(1).copied(), words.get(2)) {
            (Some("PLAIN"), Some(text)) => decoded(text),
            (Some("LOGIN"), None) => {
                let mut ask = |question: &str| {
                    say(wire, &format!("334 {}", STANDARD.encode(question)));
                    decoded(&hear(wire).unwrap_or_default())
                };
                format!("\0{}\0{}", ask("Username:"), ask("Password:"))
            }
            _ => return "504 not this one".to_owned(),
        };
        let mut heard = self.heard.lock().unwrap();
        heard.logins += 1;
        let (user, password) = self.script.login.clone().unwrap_or_default();
        if given == format!("\0{user}\0{password}") && self.encrypted {
            "235 welcome".to_owned()
        } else {
            self.script.wrong_login.clone()
        }
    }

    fn begin(&mut self, line: &str) -> String {
        self.from = address(line);
        self.to.clear();
        let size = line.split(" SIZE=").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
        match (size, self.script.size) {
            (Some(size), Some(max)) if size > max => self.script.too_large.clone(),
            (Some(_), None) => "555 SIZE is not offered".to_owned(),
            _ => "250 go on".to_owned(),
        }
    }

    fn recipient(&mut self, line: &str) -> String {
        let address = address(line);
        let refused = self.script.refuse.iter().find(|(who, _)| *who == address);
        if let Some((_, answer)) = refused.filter(|_| self.number < self.script.refuse_times) {
            return answer.clone();
        }
        self.to.push(address);
        "250 fine".to_owned()
    }

    fn data(&mut self, wire: &mut BufReader<Box<dyn Wire>>) -> String {
        if self.to.is_empty() {
            return "503 for whom".to_owned();
        }
        say(wire, "354 go ahead");
        let Some(data) = message(wire) else { return "451 cut off".to_owned() };
        let mut heard = self.heard.lock().unwrap();
        if data.len() > self.script.data_max {
            heard.refused_data += 1;
            return self.script.too_large.clone();
        }
        if let Some(answer) = self.script.data_answers.get(self.number) {
            return answer.clone();
        }
        heard.mails.push(Taken { from: self.from.clone(), to: std::mem::take(&mut self.to), data });
        "250 taken".to_owned()
    }
}

fn say(wire: &mut BufReader<Box<dyn Wire>>, line: &str) {
    let _ = wire.get_mut().write_all(format!("{line}\r\n").as_bytes());
    let _ = wire.get_mut().flush();
}

fn hear(wire: &mut BufReader<Box<dyn Wire>>) -> Option<String> {
    let mut line = String::new();
    let count = wire.read_line(&mut line).ok().filter(|count| *count > 0);
    count.map(|_| line.trim_end_matches(['\r', '\n']).to_owned())
}

/// Until the line with a single dot; dots in front are taken off.
fn message(wire: &mut BufReader<Box<dyn Wire>>) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    loop {
        let mut line = Vec::new();
        wire.read_until(b'\n', &mut line).ok().filter(|count| *count > 0)?;
        match line.as_slice() {
            b".\r\n" => return Some(data),
            [b'.', rest @ ..] => data.extend_from_slice(rest),
            whole => data.extend_from_slice(whole),
        }
    }
}

fn address(line: &str) -> String {
    line.split('<').nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default().to_owned()
}

fn decoded(text: &str) -> String {
    STANDARD.decode(text).ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
