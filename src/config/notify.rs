//! Whom to tell, how, and when.

use crate::language::Language;
use crate::model::{Micros, Verdict};
use secrecy::SecretString;
use std::path::PathBuf;

/// Everything that goes out.
#[derive(Clone, Debug, Default)]
pub struct Notify {
    /// Alerts that go on firing are told again after so many microseconds.
    pub remind: i64,
    /// The daily report, and alerts by mail.
    pub mail: Option<Mail>,
    /// In the order of the file; their names are unique.
    pub channels: Vec<Channel>,
    /// In the order of the file.
    pub silences: Vec<Silence>,
    /// Services that notice when no run reports.
    pub heartbeats: Vec<Heartbeat>,
    /// Where metrics go.
    pub metrics: Metrics,
    /// Commands around a run.
    pub hooks: Hooks,
}

/// A secret that is read when it is needed: one that is not there costs a delivery, never a reconciliation.
#[derive(Clone, Debug)]
pub enum Secret {
    /// As the file or the environment gives it.
    Text(SecretString),
    /// A file that holds it; a newline at its end does not count.
    File(PathBuf),
}

/// When a target is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum When {
    /// When an alert fires, grows or clears, and again by `remind` while it fires.
    #[default]
    OnProblem,
    /// The same without reminders.
    OnChange,
    /// After every run.
    Always,
}

/// Which part of what happens a target is told of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Only these flows; empty: all.
    pub flows: Vec<String>,
    /// Only flows of these owners; empty: all.
    pub owners: Vec<String>,
    /// When.
    pub when: When,
    /// Only alerts of this level or worse.
    pub level: Option<Verdict>,
}

/// `[mail]`.
#[derive(Clone, Debug)]
pub struct Mail {
    /// A mailbox: `msgrecon@example.com`, or `"Message reconciliation" <msgrecon@example.com>`.
    pub from: String,
    /// Who is told of every flow that no owner of `owners` has.
    pub to: Vec<String>,
    /// The same.
    pub cc: Vec<String>,
    /// Where answers go.
    pub reply_to: Option<String>,
    /// An owner's flows go to the owner's addresses instead.
    pub owners: Vec<(String, Vec<String>)>,
    /// How it is sent.
    pub transport: Transport,
    /// When, and of which flows.
    pub route: Route,
    /// What it is written in.
    pub language: Language,
    /// After so many microseconds without a mail, one says that all is quiet. `None`: never.
    pub all_quiet: Option<i64>,
    /// The mail server takes no message of more bytes than this, as they are sent. Default 10 MiB.
    pub size_max: u64,
    /// Whether differences.csv is attached.
    pub attach: bool,
    /// So many differences are named in the mail itself.
    pub top: usize,
    /// Whether a day's mails hang together.
    pub thread: Thread,
    /// A folder whose `mail.html.j2` and `mail.txt.j2` replace the built-in ones.
    pub templates: Option<PathBuf>,
}

/// Which mails hang together in a mail reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thread {
    /// None.
    #[default]
    Off,
    /// Those of one local day.
    Daily,
}

/// How mail is sent.
#[derive(Clone, Debug)]
pub enum Transport {
    /// To a mail server.
    Smtp(Smtp),
    /// `file://DIR`: an `.eml` file for each mail.
    Folder(PathBuf),
}

/// A mail server.
#[derive(Clone, Debug)]
pub struct Smtp {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the session is encrypted.
    pub tls: SmtpTls,
    /// The login's name; without one nobody logs in.
    pub user: Option<String>,
    /// The login's password.
    pub password: Option<Secret>,
    /// Certificates of authorities that are trusted besides the system's, in PEM.
    pub ca_file: Option<PathBuf>,
    /// After so many microseconds without an answer the server is given up. Default 30 s.
    pub timeout: i64,
}

/// How a session with a mail server is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmtpTls {
    /// `smtp://`: it begins in the clear and must turn to TLS before anything is told.
    StartTls,
    /// `smtps://`: TLS from the first byte.
    Implicit,
    /// `smtp://…?tls=none`: in the clear. Only on the loopback.
    None,
}

/// What kind of service a channel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Any HTTP endpoint that takes signed JSON (Standard Webhooks).
    Webhook,
    /// Prometheus Alertmanager, API v2.
    Alertmanager,
    /// Slack, incoming webhook.
    Slack,
    /// Feishu or Lark, custom bot.
    Feishu,
    /// DingTalk, custom robot.
    Dingtalk,
    /// WeCom, group robot.
    Wecom,
    /// PagerDuty, Events API v2.
    Pagerduty,
    /// A program that takes JSON on its standard input.
    Command,
}

impl ChannelKind {
    /// Every kind by its name in the configuration.
    pub const ALL: [(&str, Self); 8] = [
        ("webhook", Self::Webhook),
        ("alertmanager", Self::Alertmanager),
        ("slack", Self::Slack),
        ("feishu", Self::Feishu),
        ("dingtalk", Self::Dingtalk),
        ("wecom", Self::Wecom),
        ("pagerduty", Self::Pagerduty),
        ("command", Self::Command),
    ];

    /// Its name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    /// Whether the service wants to be told of everything that fires on every run, and forgets what it is not told.
    #[must_use]
    pub fn wants_all(self) -> bool {
        self == Self::Alertmanager
    }
}

/// `[[channels]]`.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Unique; the kind's name unless set. Deliveries are kept under it.
    pub name: String,
    /// What it is.
    pub kind: ChannelKind,
    /// Where it is, of all kinds but `command`; the ends of every member where Alertmanager is a cluster. PagerDuty has
    /// a default.
    pub urls: Vec<Secret>,
    /// Signs messages: webhook, feishu, dingtalk.
    pub secret: Option<Secret>,
    /// PagerDuty's routing key; a bearer token for a webhook or Alertmanager.
    pub token: Option<Secret>,
    /// Program and arguments of `command`.
    pub command: Vec<String>,
    /// When, and of which flows.
    pub route: Route,
    /// What it is written in.
    pub language: Language,
    /// Who is named in messages: user ids or phone numbers, or `all`.
    pub mention: Vec<String>,
    /// A word that DingTalk wants in every message.
    pub keyword: Option<String>,
    /// Plain HTTP is allowed to hosts that are not the loopback.
    pub allow_http: bool,
    /// After so many microseconds a request is given up. Default 15 s.
    pub timeout: i64,
    /// The time from one run to the next, in microseconds: how long Alertmanager is to believe what it is told.
    /// `None`: as it was between the last runs.
    pub interval: Option<i64>,
}

/// `[[silences]]`: alerts that nobody is told of. They are counted and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silence {
    /// Of this flow only.
    pub flow: Option<String>,
    /// Of this consumer only.
    pub consumer: Option<String>,
    /// Of this metric only.
    pub metric: Option<String>,
    /// From when on; `None`: it has begun.
    pub from: Option<Micros>,
    /// Until when. There is no silence without an end.
    pub until: Micros,
    /// Why.
    pub reason: String,
}

/// Whose protocol a heartbeat speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeartbeatKind {
    /// healthchecks.io and what speaks like it.
    Healthchecks,
    /// Sentry crons.
    Sentry,
}

/// `[[heartbeats]]`: says that the job ran, whatever it found.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// Whose protocol.
    pub kind: HeartbeatKind,
    /// Where; it is a secret.
    pub url: Secret,
    /// Sentry's environment.
    pub environment: Option<String>,
    /// Plain HTTP is allowed to hosts that are not the loopback.
    pub allow_http: bool,
    /// After so many microseconds a request is given up. Default 10 s.
    pub timeout: i64,
}

/// `[metrics]`.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// A file for `node_exporter`'s textfile collector; its name ends in `.prom`.
    pub textfile: Option<PathBuf>,
    /// A Pushgateway.
    pub pushgateway: Option<Pushgateway>,
}

/// A Pushgateway.
#[derive(Clone, Debug)]
pub struct Pushgateway {
    /// Its base URL, which may hold a login.
    pub url: Secret,
    /// The job's label. Default `msgrecon`.
    pub job: String,
    /// After so many microseconds a request is given up. Default 10 s.
    pub timeout: i64,
}

/// `[hooks]`: programs and their arguments, each run with what is known in its environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Before anything is read; one that fails keeps the run from beginning.
    pub before: Vec<Vec<String>>,
    /// After every run, whatever it found.
    pub after: Vec<Vec<String>>,
    /// After a run that found differences.
    pub on_differences: Vec<Vec<String>>,
    /// After a run that is not complete.
    pub on_incomplete: Vec<Vec<String>>,
    /// After a run that came to no report, or could not record or deliver it.
    pub on_error: Vec<Vec<String>>,
    /// After so many microseconds a command is ended. Default 60 s.
    pub timeout: i64,
}
