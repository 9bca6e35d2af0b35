//! Options whose values are words: each word with what it stands for, declared once.

use super::{Kind, Values};

/// The words of a [`Kind::Choice`] and what each makes of the options, in the same order; [`words!`](crate::words) declares
/// them.
#[derive(Debug)]
pub struct Words<T: 'static> {
    pub names: &'static [&'static str],
    pub make: &'static [fn(&Values) -> T],
}

impl<T> Words<T> {
    pub const fn kind(&self) -> Kind {
        Kind::Choice(self.names)
    }

    /// What the word stands for; `None` if it is none of them.
    pub fn find(&self, word: &str, values: &Values) -> Option<T> {
        let at = self.names.iter().position(|name| *name == word)?;
        self.make.get(at).map(|make| make(values))
    }

    /// What the option `name`, of this [`kind`](Words::kind), stands for.
    pub fn read(&self, values: &Values, name: &str) -> T {
        let found = self.find(values.word(name), values);
        debug_assert!(found.is_some(), "{name} is an option of other words");
        found.unwrap_or_else(|| self.make[0](values))
    }
}

/// Declares [`Words`]: a row is a word and a function of the options, which gives what the word stands for.
///
/// ```
/// # use treeline_game::{options::Values, words};
/// words! {
///     pub SIGN: i32 = { "plus" => |_| 1, "minus" => |_| -1 }
/// }
/// assert_eq!(SIGN.names, ["plus", "minus"]);
/// assert_eq!(SIGN.find("minus", &Values::new(&[])), Some(-1));
/// ```
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $vis:vis $name:ident: $of:ty = { $($word:literal => $make:expr),+ $(,)? })+) => {$(
        $(#[$meta])*
        $vis const $name: $crate::options::Words<$of> = $crate::options::Words {
            names: &[$($word),+],
            make: &[$($make),+],
        };
    )+};
}
