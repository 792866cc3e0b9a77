//! One session with a mail server. Every step has a time-out; nothing is told before TLS stands.

use super::Server;
use super::answer::{Next, Wrong};
use crate::config::notify::{Smtp, SmtpTls};
use crate::notify::mail::compose::sent_len;
use crate::report::text::exact;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, Certificate, TlsParameters};
use lettre::transport::smtp::commands::{Data, Ehlo, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::{ClientId, Extension, MailBodyParameter, MailParameter};
use secrecy::{ExposeSecret as _, SecretString};
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const PASSWORD: &str = "the password of the mail server";

/// An open session, logged in.
pub(super) struct Session<'a> {
    server: Server<'a>,
    connection: AsyncSmtpConnection,
    /// Whatever of the password an answer could repeat.
    secrets: Vec<String>,
    /// What the server says of `SIZE`: the longest message that it takes; 0 where it sets no limit.
    size: Option<u64>,
}

impl<'a> Session<'a> {
    /// Connects, turns to TLS, logs in.
    pub(super) async fn open(server: Server<'a>) -> Result<Self, Wrong> {
        let smtp = server.smtp;
        let password = password(smtp)?;
        let connection = connect(server).await?;
        let secrets = password.as_ref().map_or_else(Vec::new, |password| forms(smtp, password));
        let mut session = Self { server, connection, secrets, size: None };
        if smtp.tls == SmtpTls::StartTls {
            session.start_tls().await?;
        }
        session.ask_size().await?;
        if let (Some(user), Some(password)) = (&smtp.user, password) {
            session.log_in(user, &password).await?;
        }
        Ok(session)
    }

    /// The longest message that the server says it takes.
    pub(super) fn size_max(&self) -> u64 {
        self.size.filter(|size| *size > 0).unwrap_or(u64::MAX)
    }

    async fn start_tls(&mut self) -> Result<(), Wrong> {
        if !self.connection.can_starttls() {
            return Err(Wrong::for_good(
                "the server offers no STARTTLS, and nothing is told in the clear; if this port speaks TLS from the first \
                 byte, write smtps://",
            ));
        }
        let parameters = tls(self.server.smtp)?;
        let hello = ClientId::default();
        let doing = "STARTTLS";
        let step = self.connection.starttls(parameters, &hello);
        within(self.server, doing, step).await?.map_err(|error| Wrong::of(doing, &error, &[]))
    }

    /// Asks once more what the server offers, for the one word that lettre does not keep.
    async fn ask_size(&mut self) -> Result<(), Wrong> {
        let hello = Ehlo::new(ClientId::default());
        let answer = within(self.server, "EHLO", self.connection.command(hello)).await?;
        let answer = answer.map_err(|error| Wrong::of("EHLO", &error, &[]))?;
        self.size = answer.message().find_map(size_of);
        Ok(())
    }

    async fn log_in(&mut self, user: &str, password: &SecretString) -> Result<(), Wrong> {
        let known = [Mechanism::Plain, Mechanism::Login];
        if self.connection.server_info().get_auth_mechanism(&known).is_none() {
            return Err(Wrong::for_good("the server offers neither AUTH PLAIN nor AUTH LOGIN"));
        }
        let credentials = Credentials::new(user.to_owned(), password.expose_secret().to_owned());
        let step = self.connection.auth(&known, &credentials);
        let answer = within(self.server, "the login", step).await?;
        let doing = format!(
            "the login of {} was refused; mend `password`, or the user in `transport`, of [mail]",
            exact(user, 120)
        );
        answer.map(|_| ()).map_err(|error| Wrong::of(&doing, &error, &self.secrets))
    }

    /// From whom it comes, how long it is, and of which characters.
    pub(super) async fn begin(
        &mut self,
        from: &Address,
        to: &[Address],
        message: &[u8],
    ) -> Result<(), Wrong> {
        let mut options = Vec::new();
        if self.size.is_some() {
            options.push(MailParameter::Size(usize::try_from(sent_len(message)).unwrap_or(usize::MAX)));
        }
        let utf8 = std::iter::once(from).chain(to).any(|one| !AsRef::<str>::as_ref(one).is_ascii());
        if utf8 {
            self.needs(
                Extension::SmtpUtfEight,
                "an address is not ASCII, and the server does not know SMTPUTF8",
            )?;
            options.push(MailParameter::SmtpUtfEight);
        }
        if !message.is_ascii() {
            self.needs(
                Extension::EightBitMime,
                "the message is not ASCII, and the server does not know 8BITMIME",
            )?;
            options.push(MailParameter::Body(MailBodyParameter::EightBitMime));
        }
        let doing = format!("sender {from}");
        self.command(&doing, Mail::new(Some(from.clone()), options)).await
    }

    fn needs(&self, extension: Extension, wrong: &str) -> Result<(), Wrong> {
        let offered = self.connection.server_info().supports_feature(extension);
        if offered { Ok(()) } else { Err(Wrong::for_good(wrong)) }
    }

    /// One recipient more.
    pub(super) async fn recipient(&mut self, to: &Address) -> Result<(), Wrong> {
        let doing = format!("recipient {to}");
        self.command(&doing, Rcpt::new(to.clone(), Vec::new())).await
    }

    /// The message itself. It may take all the time that there is: it is long, and servers think before they take it.
    pub(super) async fn content(&mut self, message: &[u8]) -> Result<(), Wrong> {
        self.command("DATA", Data).await?;
        let server =
            Server { step: self.server.until.saturating_duration_since(Instant::now()), ..self.server };
        let answer = within(server, "the message", self.connection.message(message)).await?;
        answer.map(|_| ()).map_err(|error| Wrong::of("the message", &error, &self.secrets))
    }

    /// Forgets what was begun.
    pub(super) async fn reset(&mut self) -> Result<(), Wrong> {
        self.command("RSET", Rset).await
    }

    async fn command(&mut self, doing: &str, command: impl std::fmt::Display) -> Result<(), Wrong> {
        let answer = within(self.server, doing, self.connection.command(command)).await?;
        answer.map(|_| ()).map_err(|error| Wrong::of(doing, &error, &self.secrets))
    }

    /// Says good-bye; what the server answers changes nothing.
    pub(super) async fn close(mut self) {
        let _ = within(self.server, "QUIT", self.connection.quit()).await;
    }
}

/// Waits for one step, for as long as a step may take and the whole has time left.
async fn within<T>(server: Server<'_>, doing: &str, step: impl Future<Output = T>) -> Result<T, Wrong> {
    let left = server.until.saturating_duration_since(Instant::now());
    timeout(server.step.min(left), step).await.map_err(|_| silent(server, doing))
}

fn silent(server: Server<'_>, doing: &str) -> Wrong {
    let step = Duration::from_millis(u64::try_from(server.step.as_millis()).unwrap_or(u64::MAX));
    Wrong::no_answer(format!("{doing}: no answer within {}", humantime::format_duration(step)))
}

/// Connects, with TLS where it comes first, and hears the server's greeting.
async fn connect(server: Server<'_>) -> Result<AsyncSmtpConnection, Wrong> {
    let smtp = server.smtp;
    let parameters = if smtp.tls == SmtpTls::Implicit { Some(tls(smtp)?) } else { None };
    let address = (smtp.host.as_str(), smtp.port);
    let hello = ClientId::default();
    let step = AsyncSmtpConnection::connect_tokio1(address, Some(server.step), &hello, parameters, None);
    let connected = within(server, "connecting", step).await.map_err(|wrong| hinted(smtp, wrong))?;
    connected.map_err(|error| not_connected(smtp, &error))
}

fn not_connected(smtp: &Smtp, error: &Error) -> Wrong {
    let wrong = Wrong::of("connecting", error, &[]);
    if wrong.next != Next::Mend && !error.is_response() { wrong } else { hinted(smtp, wrong) }
}

/// Says which other mode a server may speak that does not speak this one.
fn hinted(smtp: &Smtp, mut wrong: Wrong) -> Wrong {
    let hint = match smtp.tls {
        SmtpTls::Implicit => "if this port turns to TLS by STARTTLS, write smtp://",
        SmtpTls::StartTls | SmtpTls::None => "if this port speaks TLS from the first byte, write smtps://",
    };
    wrong.message = format!("{}; {hint}", wrong.message);
    wrong
}

fn tls(smtp: &Smtp) -> Result<TlsParameters, Wrong> {
    let mut builder = TlsParameters::builder(smtp.host.clone());
    if let Some(path) = &smtp.ca_file {
        builder = builder.add_root_certificate(certificate(path)?);
    }
    builder.build_rustls().map_err(|error| Wrong::of("TLS", &error, &[]))
}

fn certificate(path: &Path) -> Result<Certificate, Wrong> {
    let wrong = |error: String| Wrong::for_good(format!("`ca_file` {}: {error}", path.display()));
    let pem = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    Certificate::from_pem(&pem).map_err(|_| wrong("holds no certificate in PEM".to_owned()))
}

fn password(smtp: &Smtp) -> Result<Option<SecretString>, Wrong> {
    let read = smtp.password.as_ref().map(|secret| secret.read(PASSWORD)).transpose();
    read.map_err(|error| {
        let next = if error.retry { Next::Later } else { Next::Mend };
        Wrong { next, ..Wrong::for_good(error.message) }
    })
}

/// The password as it stands, and as AUTH sends it.
fn forms(smtp: &Smtp, password: &SecretString) -> Vec<String> {
    let password = password.expose_secret();
    let plain = format!("\0{}\0{password}", smtp.user.as_deref().unwrap_or_default());
    vec![password.to_owned(), STANDARD.encode(password), STANDARD.encode(plain)]
}

/// `SIZE 10240000`, or `SIZE` alone: a line of what the server offers.
fn size_of(line: &str) -> Option<u64> {
    let mut words = line.split_ascii_whitespace();
    let keyword = words.next().filter(|word| word.eq_ignore_ascii_case("SIZE"));
    keyword.map(|_| words.next().and_then(|number| number.parse().ok()).unwrap_or(0))
}
