//! Who may ask. Three checks, for every request:
//!
//! - `Host` names this server. A foreign page whose name was made to lead here (DNS rebinding) names itself.
//! - `Origin`, where a browser sends one, is this page. A WebSocket must send it: browsers let every page open one anywhere.
//! - Beyond the loopback, the token from the program's output, in the address once and in a cookie from then on.

use axum::extract::{Request, State};
use axum::http::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// What is demanded of a request.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Only the names of the loopback are this server's.
    pub loopback: bool,
    /// Names besides addresses under which the server may be asked for.
    pub hosts: Vec<String>,
    /// A word that whoever asks has to know.
    pub token: Option<String>,
}

/// Of every answer: nothing comes from elsewhere, nothing is embedded elsewhere.
const HEADERS: [(&str, &str); 6] = [
    (
        "content-security-policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// 128 random bits in hexadecimal digits.
pub fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Lets a request through or refuses it.
pub async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let socket = request.uri().path() == "/talk";
    let mut answer = match guard.judge(request.headers(), request.uri().query(), socket) {
        Verdict::Pass => next.run(request).await,
        Verdict::Refuse(status, reason) => (status, format!("{reason}\n")).into_response(),
        Verdict::Remember(cookie) => {
            let head = [(LOCATION, "/".to_string()), (SET_COOKIE, cookie)];
            (StatusCode::SEE_OTHER, head).into_response()
        }
    };
    for (name, value) in HEADERS {
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(name, value);
    }
    answer
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Pass,
    Refuse(StatusCode, &'static str),
    /// The address had the token: the cookie to send.
    Remember(String),
}

impl Guard {
    fn judge(&self, headers: &HeaderMap, query: Option<&str>, socket: bool) -> Verdict {
        let forbidden = |reason| Verdict::Refuse(StatusCode::FORBIDDEN, reason);
        let Some(host) = only(headers, HOST.as_str()) else {
            return Verdict::Refuse(StatusCode::BAD_REQUEST, "one Host is needed");
        };
        if !self.knows(host) {
            return Verdict::Refuse(
                StatusCode::MISDIRECTED_REQUEST,
                "this server has another name",
            );
        }
        match only(headers, ORIGIN.as_str()) {
            Some(origin) if is_own(origin, host) => {}
            None if !headers.contains_key(ORIGIN) && !socket => {}
            _ => return forbidden("only this server's own page may ask"),
        }
        let Some(token) = &self.token else {
            return Verdict::Pass;
        };
        if cookies(headers).any(|(name, value)| name == COOKIE_NAME && same(value, token)) {
            return Verdict::Pass;
        }
        let asked = query.and_then(|query| query.strip_prefix("token="));
        if asked.is_some_and(|asked| same(asked, token)) {
            let cookie = format!("{COOKIE_NAME}={token}; Path=/; HttpOnly; SameSite=Lax");
            return Verdict::Remember(cookie);
        }
        forbidden("the address with its token, as the program printed it, is needed")
    }

    /// Whether a value of `Host` means this server, whatever the port, which may have been forwarded.
    fn knows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
            _ => host,
        };
        let plain = name.trim_start_matches('[').trim_end_matches(']');
        match plain.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.loopback,
            Err(_) => {
                let mut known = self.hosts.iter().map(String::as_str).chain(["localhost"]);
                known.any(|known| known.eq_ignore_ascii_case(name))
            }
        }
    }
}

const COOKIE_NAME: &str = "treeline-token";

/// The value of a header that must not be there twice.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether a page of this origin came from `host`, directly or through a proxy with TLS.
fn is_own(origin: &str, host: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| origin.strip_prefix(scheme));
    rest.is_some_and(|rest| rest.eq_ignore_ascii_case(host))
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let lines = headers.get_all(COOKIE).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';'));
    pairs.filter_map(|pair| pair.trim().split_once('='))
}

/// Compares in a time that does not tell how much was right.
fn same(found: &str, wanted: &str) -> bool {
    let pairs = found.bytes().zip(wanted.bytes());
    found.len() == wanted.len() && pairs.fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(loopback: bool, token: Option<&str>) -> Guard {
        Guard {
            loopback,
            hosts: vec!["board.example".into()],
            token: token.map(String::from),
        }
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_own_names_are_answered() {
        let home = guard(true, None);
        for host in [
            "127.0.0.1:1",
            "localhost",
            "LOCALHOST:80",
            "[::1]:8",
            "board.example:1",
        ] {
            assert!(home.knows(host), "{host}");
        }
        for host in [
            "evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1",
            "",
            "localhost:x",
            "[::2]",
        ] {
            assert!(!home.knows(host), "{host}");
        }
        assert!(guard(false, None).knows("10.0.0.1:80"));
        assert!(!guard(false, None).knows("evil.example"));
        let twice = headers(&[("host", "localhost"), ("host", "evil.example")]);
        assert_ne!(home.judge(&twice, None, false), Verdict::Pass);
    }

    #[test]
    fn foreign_pages_are_refused() {
        let home = guard(true, None);
        let judge = |origin: Option<&str>, socket| {
            let mut pairs = vec![("host", "localhost:8")];
            pairs.extend(origin.map(|origin| ("origin", origin)));
            home.judge(&headers(&pairs), None, socket) == Verdict::Pass
        };
        assert!(judge(None, false) && !judge(None, true));
        for socket in [false, true] {
            assert!(judge(Some("http://localhost:8"), socket));
            for origin in [
                "http://evil.example",
                "http://localhost",
                "null",
                "",
                "http://localhost:80",
            ] {
                assert!(!judge(Some(origin), socket), "{origin}");
            }
        }
    }

    #[test]
    fn the_token_comes_in_the_address_and_stays_in_a_cookie() {
        let abroad = guard(false, Some("secret"));
        let judge = |cookie: &str, query| {
            let pairs = [("host", "10.0.0.1"), ("cookie", cookie)];
            abroad.judge(&headers(&pairs), query, false)
        };
        assert_eq!(judge("a=b; treeline-token=secret", None), Verdict::Pass);
        assert!(matches!(
            judge("", Some("token=secret")),
            Verdict::Remember(_)
        ));
        for (cookie, query) in [
            ("", None),
            ("treeline-token=secre", None),
            ("treeline-token=", Some("token=")),
            ("token=secret", Some("token=secret1")),
        ] {
            assert!(
                matches!(judge(cookie, query), Verdict::Refuse(..)),
                "{cookie} {query:?}"
            );
        }
    }
}
