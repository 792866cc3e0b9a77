//! A database, and the client that its server comes with.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use url::Url;

/// A database on a server, or an SQLite file.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    Server(Url),
    File(PathBuf),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    Postgres,
    Mysql,
    Sqlite,
}

impl Place {
    pub fn dialect(&self) -> Dialect {
        match self {
            Self::File(_) => Dialect::Sqlite,
            Self::Server(url) if url.scheme().starts_with("postgres") => Dialect::Postgres,
            Self::Server(_) => Dialect::Mysql,
        }
    }

    /// Another database of the same server.
    #[must_use]
    pub fn database(&self, name: &str) -> Self {
        match self {
            Self::Server(url) => {
                let mut url = url.clone();
                url.set_path(name);
                Self::Server(url)
            }
            Self::File(path) => Self::File(path.with_file_name(format!("{name}.db"))),
        }
    }

    /// The same database behind another port.
    #[must_use]
    pub fn behind(&self, port: u16) -> Self {
        let Self::Server(url) = self else { return self.clone() };
        let mut url = url.clone();
        url.set_port(Some(port)).unwrap();
        Self::Server(url)
    }

    /// The database of the same name that another has, here.
    #[must_use]
    pub fn database_like(&self, other: &Self) -> Self {
        if matches!(self, Self::File(_)) { other.clone() } else { self.database(other.name()) }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Server(url) => url.path().trim_start_matches('/'),
            Self::File(path) => path.file_stem().unwrap().to_str().unwrap(),
        }
    }

    pub fn url(&self) -> String {
        match self {
            Self::Server(url) => url.to_string(),
            Self::File(path) => format!("sqlite://{}", path.display()),
        }
    }

    /// Host and port; `None` of a file.
    pub fn address(&self) -> Option<(String, u16)> {
        let Self::Server(url) = self else { return None };
        Some((url.host_str()?.to_owned(), url.port()?))
    }

    /// The client's command line for these statements, rows as bare tab-separated text. Its password is in
    /// [`Self::login`], not here.
    pub fn words(&self, sql: &str) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let url = match self {
            Self::File(path) => {
                return words(&["sqlite3", "-bail", "-cmd", ".timeout 600000", path.to_str().unwrap(), sql]);
            }
            Self::Server(url) => url,
        };
        let (host, port) = (url.host_str().unwrap(), url.port().unwrap().to_string());
        let (user, name) = (url.username(), self.name());
        let common = ["-h", host, if self.dialect() == Dialect::Postgres { "-p" } else { "-P" }, &port];
        let rest: &[&str] = match self.dialect() {
            Dialect::Postgres => {
                &["-U", user, "-d", name, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
            }
            _ => &["-u", user, "-D", name, "-B", "-N", "--quick", "-e", sql],
        };
        let first: &[&str] =
            if self.dialect() == Dialect::Postgres { &["psql"] } else { &["mariadb", "--no-defaults"] };
        words(&[first, &common, rest].concat())
    }

    /// The environment variable that holds the client's password.
    pub fn login(&self) -> Option<(&'static str, String)> {
        let Self::Server(url) = self else { return None };
        let name = if self.dialect() == Dialect::Postgres { "PGPASSWORD" } else { "MYSQL_PWD" };
        Some((name, url.password()?.to_owned()))
    }

    /// The client, ready to be started.
    pub fn client(&self, sql: &str) -> Command {
        let words = self.words(sql);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(self.login()).stdin(Stdio::null()).stdout(Stdio::null());
        command
    }

    /// The same as a word of a shell's script.
    pub fn shell(&self, sql: &str) -> String {
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        self.words(sql).iter().map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// What the statements give.
    pub fn ask(&self, sql: &str) -> Result<String, String> {
        let output = self.client(sql).stdout(Stdio::piped()).output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
    }

    /// Carries the statements out, one after the other in one session.
    pub fn execute<S: AsRef<str>>(&self, statements: &[S]) {
        let mut words = self.words("");
        // All of them read stdin where no statement is named.
        words.truncate(words.len() - if self.dialect() == Dialect::Sqlite { 1 } else { 2 });
        let script: Vec<_> = statements.iter().map(|sql| format!("{};\n", sql.as_ref())).collect();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).envs(self.login()).stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the client is installed");
        child.stdin.take().unwrap().write_all(script.concat().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", self.name());
    }

    /// Makes the database; the server's own one carries it out.
    pub fn create(&self, server: &Self) {
        if !matches!(self, Self::File(_)) {
            server.execute(&[format!("CREATE DATABASE {}", self.name())]);
        }
    }

    pub fn drop(&self, server: &Self) {
        match self {
            Self::File(path) => drop(std::fs::remove_file(path)),
            Self::Server(_) if self.dialect() == Dialect::Postgres => {
                server.execute(&[format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name())]);
            }
            Self::Server(_) => server.execute(&[format!("DROP DATABASE IF EXISTS {}", self.name())]),
        }
    }
}
