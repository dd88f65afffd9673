//! What the attackers do. Cases of the security review carry its number.

mod bodies;

mod connections;

mod pictures;

mod readers;

mod requests;

mod sessions;

use anyhow::Result;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::attack::hostile::Attack;

/// One way to attack.
pub struct Case {
    pub name: &'static str,
    /// What is sent, for the table.
    pub sent: &'static str,
    pub run: fn(Attack) -> BoxFuture<'static, Result<()>>,
}

macro_rules! case {
    ($name:literal, $sent:literal, $run:path) => {
        Case { name: $name, sent: $sent, run: |attack| $run(attack).boxed() }
    };
}

/// All of them, in the order in which they run.
pub const CASES: &[Case] = &[
    case!("C13 half heads", "22 addresses x 64 connections, 31 KB of a head each", connections::half_heads),
    case!("C13 heads of 400 KB", "8 addresses x 16 connections, 400 KB of a head each", connections::long_heads),
    case!("C13 one greedy address", "800 connections of one address", connections::one_address),
    case!("silent connections", "22 addresses x 64 connections that say nothing", connections::silence),
    case!("slow heads", "8 addresses x 32 connections, a byte in 200 ms", connections::slow_heads),
    case!("many headers", "8 addresses, 20 heads of 150 headers a second each", connections::many_headers),
    case!("connections reset", "8 addresses, 50 connections a second each, reset in the head", connections::churn),
    case!("requests reset", "6 addresses, 20 statements a second each, reset before the answer", connections::aborted),
    case!("HTTP/2 rapid reset", "4 addresses, HTTP/2 with 100 streams opened and reset", connections::rapid_reset),
    case!("no HTTP", "8 addresses, 20 TLS hellos and noise a second each", connections::noise),
    case!("C9 unknown methods", "one connection, 1,000 requests a second, each with its own method", requests::methods),
    case!("unknown paths", "4 addresses, 100 a second each, each path once", requests::paths),
    case!("S15 long paths", "2 addresses, 400 paths of 256 bytes a second each", requests::long_paths),
    case!(
        "forged client addresses",
        "one address, 1,600 a second, each with its own X-Forwarded-For",
        requests::forged
    ),
    case!("reads above the rate", "6 addresses, 100 histories a second each", requests::reads),
    case!("statements", "6 addresses, 20 statements a second each", requests::statements),
    case!("pages", "2 addresses, 400 pages and documents a second each", requests::pages),
    case!("OPTIONS and HEAD", "4 addresses, 100 a second each", requests::options),
    case!("forged tokens", "6 addresses, 40 tokens a second each, of six kinds", requests::tokens),
    case!("long addresses", "6 addresses, 20 queries of 30 KB a second each", requests::queries),
    case!("answers never read", "6 addresses x 8 connections, requests without end, nothing read", requests::pipelines),
    case!("idempotency keys hoarded", "accounts, 20 keys a second each", requests::keys),
    case!("one key at once", "8 connections of each account with the same key", requests::one_key),
    case!("C11 half-sent bodies", "6 addresses, 45 requests a second each, the body never complete", bodies::half_sent),
    case!("C12 slow uploads", "9 connections of 3 addresses, 1 KB a second", bodies::slow_uploads),
    case!("uploads that stop", "accounts x 6 connections, all but the end of 6 MB", bodies::stopped_uploads),
    case!("uploads at once", "accounts x 4 connections, 6 MB that are no file", bodies::uploads),
    case!("uploads by strangers", "8 addresses, 20 uploads of 6 MB a second each, no session", bodies::strangers),
    case!("chunks of one byte", "8 addresses x 8 connections, each chunk with 500 bytes of extension", bodies::chunks),
    case!("bodies without end", "8 addresses x 4 connections, chunks for ever", bodies::endless),
    case!("gzip bombs", "8 addresses, 10 bodies of 256 MiB a second each, packed", bodies::gzip),
    case!("deep JSON", "8 addresses, 20 bodies of 60 KB a second each, 60,000 deep or 9,000 wide", bodies::deep_json),
    case!("S4 deep uploads", "accounts x 2 connections, 6.5 MB of brackets and keys", bodies::deep_uploads),
    case!("two lengths", "8 addresses, 20 requests a second each that a proxy may read otherwise", bodies::two_lengths),
    case!("C10 slow readers", "101 readers of a file of 5 MiB, 3 addresses, 1 KB a second", readers::slow),
    case!("files never read", "8 addresses x 32 connections ask for 5 MiB and read nothing", readers::never),
    case!("ranges", "6 addresses, 40 requests a second each for parts of 5 MiB", readers::ranges),
    case!("S10 quotes of one amount", "accounts x 20 a second", requests::quotes),
    case!("S11 downloads held", "accounts x 2 downloads of one address, nothing read", readers::downloads),
    case!("S22 uploads begun", "one manager begins as many as there may be", readers::uploads),
    case!("event streams hoarded", "accounts x 16 streams", readers::streams),
    case!("C8 noisy PNG", "RGBA, 4000 x 8000, 1 MB", pictures::noisy_png),
    case!("PNG within the budget", "every account at once, 48 MiB of noise decoded", pictures::full_png),
    case!("PNG of 22,000 x 22,000", "every account at once", pictures::huge_png),
    case!("PNG with a profile bomb", "every account at once, 256 MiB in iCCP", pictures::profile),
    case!("JPEG within the budget", "every account at once, 16.7 MP", pictures::jpeg),
    case!("progressive JPEG", "every account at once, 16.7 MP of three and of four channels", pictures::progressive),
    case!("JPEG of 65,500 x 65,500", "every account at once", pictures::huge_jpeg),
    case!("WebP within the budget", "every account at once, 16.7 MP in 38 bytes", pictures::webp),
    case!("WebP of 16,384 x 16,384", "every account at once", pictures::huge_webp),
    case!("endless GIF", "every account at once, 65,535 x 65,535 in 300,000 frames", pictures::gif),
    case!("PDF bomb", "every account at once, a stream of 256 MiB", pictures::pdf),
    case!("ZIP bomb", "every account at once, as PNG and as PDF", pictures::zip),
    case!("C14 photos replaced", "every account, one after another", pictures::replaced),
    case!("login storm", "6 addresses, 10 unknown accounts a second each", sessions::logins),
    case!("passwords guessed", "6 addresses, 10 guesses a second each for one account", sessions::guesses),
    case!("registration storm", "6 addresses, 5 a second each", sessions::registrations),
    case!("forgotten passwords", "6 addresses, 10 a second each", sessions::forgotten),
    case!("codes guessed", "6 addresses, 10 a second each", sessions::codes),
    case!("S5 hashes", "24 addresses, 20 registrations of a taken email a second each", sessions::hashes),
    case!("S6 guessing neighbours", "one address, 20 guesses a second, and a member in it", sessions::neighbours),
    case!("S8 links of strangers", "6 addresses, 10 links for one member a second each", sessions::links),
    case!("S12 guesses in a session", "3 sessions, 20 passwords a second each", sessions::inside),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Source addresses of a case begin at 127.100, which leaves room for all of them; a name finds one case.
    #[test]
    fn cases_have_addresses_and_names_of_their_own() {
        assert!(CASES.len() <= 150);
        let mut names: Vec<_> = CASES.iter().map(|case| case.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CASES.len());
        let reviewed = ["C8 ", "C9 ", "C10 ", "C11 ", "C12 ", "C13 ", "C14 "];
        for finding in reviewed.iter().chain(&["S4 ", "S5 ", "S6 ", "S8 ", "S10 ", "S11 ", "S12 ", "S15 ", "S22 "]) {
            assert!(names.iter().any(|name| name.starts_with(finding)), "{finding} has no case");
        }
    }
}
