//! The files of the page: a table inside the program. No path leads to the machine's own files.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::routing::get;

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct File {
    /// With the slash in front.
    pub path: &'static str,
    /// The value of `Content-Type`.
    pub kind: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// A route for each file; the first one is `/`, too.
pub fn routes(files: &'static [File]) -> Router {
    let mut router = Router::new();
    for (number, file) in files.iter().enumerate() {
        // After an update of the program the page must not come from the browser's cache.
        let head = || [(CONTENT_TYPE, file.kind), (CACHE_CONTROL, "no-cache")];
        let answer = move || async move { (head(), file.text) };
        router = router.route(file.path, get(answer));
        if number == 0 {
            router = router.route("/", get(answer));
        }
    }
    router
}
