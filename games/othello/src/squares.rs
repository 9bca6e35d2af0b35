//! The squares of a board as words: bits `row * stride + column`.

use treeline_game::bits::Bits;
use treeline_game::random::keys;

/// Bits from one row of an `N` x `N` board to the next.
pub const fn stride(n: u32) -> u32 {
    if n > 8 { n } else { 8 }
}

/// The squares of an `N` x `N` board whose column is in `from..to`.
pub const fn columns(n: u32, from: u32, to: u32) -> u128 {
    let mut squares = 0;
    let mut row = 0;
    while row < n {
        squares |= ((1 << (to - from)) - 1) << (row * stride(n) + from);
        row += 1;
    }
    squares
}

/// A word for the squares of an `N` x `N` board.
pub trait Squares<const N: u32>: Bits {
    /// The lower bits of a mask.
    fn mask(squares: u128) -> Self;
    /// The set of the one square `index % CAPACITY`, from memory: a load that broadcasts into a register is much cheaper
    /// here than a word on its way from the integer side.
    fn single(index: u8) -> Self;
    /// The one square with exactly `k` members below it; `k` must be below the number of members.
    fn member(self, k: u32) -> Self;
    /// A hash of two disjoint sets.
    fn key(own: Self, other: Self, seed: u64) -> u64;
    /// Every square of the board.
    #[inline(always)]
    fn board() -> Self {
        Self::mask(const { columns(N, 0, N) })
    }
}

impl<const N: u32> Squares<N> for u64 {
    #[inline(always)]
    fn mask(squares: u128) -> u64 {
        squares as u64
    }
    #[inline(always)]
    fn single(index: u8) -> u64 {
        SINGLES[usize::from(index % 64)]
    }
    #[inline(always)]
    fn member(self, k: u32) -> u64 {
        deposit(1 << k, self)
    }
    #[inline(always)]
    fn key(own: u64, other: u64, seed: u64) -> u64 {
        fold(fold(own ^ SALT[0], other ^ SALT[1]), seed)
    }
}

impl<const N: u32> Squares<N> for u128 {
    #[inline(always)]
    fn mask(squares: u128) -> u128 {
        squares
    }
    #[inline(always)]
    fn single(index: u8) -> u128 {
        let bit = u128::from(SINGLES[usize::from(index % 64)]);
        if index & 64 == 0 { bit } else { bit << 64 }
    }
    #[inline(always)]
    fn member(self, k: u32) -> u128 {
        // One of the two is empty, since a member that is not there is deposited nowhere.
        let bit = 1u128 << k;
        let (low, high) = (self as u64, (self >> 64) as u64);
        let (low, high) = (
            deposit(bit as u64, low),
            deposit((bit >> low.count_ones()) as u64, high),
        );
        u128::from(low) | u128::from(high) << 64
    }
    #[inline(always)]
    fn key(own: u128, other: u128, seed: u64) -> u64 {
        let half =
            |word: u128, salt: [u64; 2]| fold(word as u64 ^ salt[0], (word >> 64) as u64 ^ salt[1]);
        fold(
            half(own, [SALT[0], SALT[1]]) ^ seed,
            half(other, [SALT[2], SALT[3]]),
        )
    }
}

static SINGLES: [u64; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        table[i] = 1 << i;
        i += 1;
    }
    table
};

/// The `k`-th member of `members` for `bit == 1 << k`; nothing if there is none, or `bit` is 0.
#[inline(always)]
fn deposit(bit: u64, members: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    {
        // SAFETY: the instruction is enabled for this whole compilation.
        unsafe { core::arch::x86_64::_pdep_u64(bit, members) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    {
        let k = bit.trailing_zeros();
        if k < members.count_ones() {
            u64::square(members.select(k))
        } else {
            0
        }
    }
}

const SALT: [u64; 4] = keys(0x07_e1_11);

/// Both halves of the product: every bit of either factor reaches every bit of the result.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
