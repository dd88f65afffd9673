//! Classes of routes: what a request may send and how it is admitted. A route that is not read-only and not plain
//! declares its class where it is registered.

use std::collections::HashMap;

use axum::http::Method;
use utoipa_axum::router::UtoipaMethodRouter;

/// What a request may send and how it is admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Reads; its body, if there is one, is ignored.
    Read,
    /// Changes something, with a small body.
    Write,
    /// A small body by a visitor who opens or recovers a session: limited per minute.
    Session,
    /// May carry a file; only for accounts.
    Upload,
    /// Sends a file of any length, which the handler receives in pieces; only for accounts.
    LongUpload,
    /// Reads a file, for as long as the client takes to receive it.
    Download,
    /// Stays open for as long as the client listens.
    Stream,
}

/// Bytes of a body without a file.
const SMALL: usize = 64 * 1024;
/// Bytes of a body with a file: 5 MiB in base64 and some fields.
const WITH_FILE: usize = 7 * 1024 * 1024 + SMALL;

impl Class {
    /// Whether the body is ignored.
    #[must_use]
    pub const fn reads_nothing(self) -> bool {
        matches!(self, Self::Read | Self::Download | Self::Stream)
    }

    /// Bytes of the body.
    #[must_use]
    pub const fn body_limit(self) -> usize {
        if matches!(self, Self::Upload) { WITH_FILE } else { SMALL }
    }
}

/// The classes that routes declared.
#[derive(Debug, Default)]
pub struct Classes {
    declared: HashMap<String, Vec<(Method, Class)>>,
}

impl Classes {
    /// Declares the class of every operation of these routes.
    pub fn declare<S>(&mut self, class: Class, routes: UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S>
    where
        S: Send + Sync + Clone + 'static,
    {
        for (path, item) in &routes.1.paths {
            let operations = [
                (Method::GET, &item.get),
                (Method::POST, &item.post),
                (Method::PUT, &item.put),
                (Method::PATCH, &item.patch),
                (Method::DELETE, &item.delete),
            ];
            let methods = operations.into_iter().filter(|(_, operation)| operation.is_some());
            self.declared.entry(format!("/v1{path}")).or_default().extend(methods.map(|(method, _)| (method, class)));
        }
        routes
    }

    /// The class of a request, by its method and the route that it matched.
    #[must_use]
    pub fn of(&self, method: &Method, route: Option<&str>) -> Class {
        let declared = route.and_then(|route| self.declared.get(route));
        let found = declared.and_then(|methods| methods.iter().find(|(known, _)| known == method));
        match found {
            Some((_, class)) => *class,
            None if method.is_safe() => Class::Read,
            None => Class::Write,
        }
    }
}
