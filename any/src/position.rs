//! A position of any game as one `Copy` value: the game's own position in a buffer, with its type beside it.
//!
//! The only unsafe code that knows of types: what goes in comes out by the same type, which is checked at every access.

use std::any::TypeId;
use std::fmt;
use std::mem::{MaybeUninit, align_of, size_of};

/// Bytes of the largest position, Hex on 19x19 cells; a larger one does not compile.
const BYTES: usize = 160;

/// A position of some game.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct AnyPosition {
    bytes: Buffer,
    kind: &'static Kind,
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Buffer(MaybeUninit<[u8; BYTES]>);

/// What can be done with a buffer that holds a position of one type.
struct Kind {
    /// Asked instead of addresses, since each code unit may have a copy of this of its own.
    id: TypeId,
    equal: fn(&AnyPosition, &AnyPosition) -> bool,
    show: fn(&AnyPosition, &mut fmt::Formatter<'_>) -> fmt::Result,
}

/// What a game's position has to be.
pub trait Plain: Copy + Eq + fmt::Debug + Send + Sync + 'static {}

impl<P: Copy + Eq + fmt::Debug + Send + Sync + 'static> Plain for P {}

struct Of<P>(P);

impl<P: Plain> Of<P> {
    const FITS: () = assert!(size_of::<P>() <= BYTES && align_of::<P>() <= 16);
    const KIND: Kind = Kind {
        id: TypeId::of::<P>(),
        equal: |a, b| a.get::<P>() == b.get::<P>(),
        show: |a, f| a.get::<P>().fmt(f),
    };
}

impl AnyPosition {
    /// Holds `position`.
    #[inline]
    pub fn new<P: Plain>(position: P) -> Self {
        const { Of::<P>::FITS };
        let mut bytes = Buffer(MaybeUninit::uninit());
        // SAFETY: the buffer is large enough and aligned, as FITS says, and nobody else has it.
        unsafe { (&raw mut bytes).cast::<P>().write(position) };
        AnyPosition {
            bytes,
            kind: const { &Of::<P>::KIND },
        }
    }

    /// The position inside. A position of another game is a defect of the program and ends the search.
    #[inline]
    pub fn get<P: Plain>(&self) -> &P {
        self.check::<P>();
        // SAFETY: `new` wrote a P there, which is Copy, and the id says so; size and alignment fit.
        unsafe { &*(&raw const self.bytes).cast::<P>() }
    }

    /// The same to change.
    #[inline]
    pub fn get_mut<P: Plain>(&mut self) -> &mut P {
        self.check::<P>();
        // SAFETY: as in `get`, and the borrow is the only one.
        unsafe { &mut *(&raw mut self.bytes).cast::<P>() }
    }

    #[inline]
    fn check<P: Plain>(&self) {
        assert!(
            self.kind.id == TypeId::of::<P>(),
            "a position of another game"
        );
    }
}

impl PartialEq for AnyPosition {
    fn eq(&self, other: &Self) -> bool {
        self.kind.id == other.kind.id && (self.kind.equal)(self, other)
    }
}

impl Eq for AnyPosition {}

impl fmt::Debug for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.kind.show)(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out_and_is_compared_as_its_type_does() {
        let mut a = AnyPosition::new((1u8, 2u128));
        assert_eq!(a.get::<(u8, u128)>(), &(1, 2));
        a.get_mut::<(u8, u128)>().1 = 3;
        assert_eq!(a, AnyPosition::new((1u8, 3u128)));
        assert_ne!(a, AnyPosition::new((1u8, 2u128)));
        assert_ne!(AnyPosition::new(1u8), AnyPosition::new(1i8));
        assert_eq!(format!("{a:?}"), "(1, 3)");
    }

    #[test]
    #[should_panic(expected = "another game")]
    fn another_type_is_refused() {
        AnyPosition::new(1u8).get::<i8>();
    }
}
