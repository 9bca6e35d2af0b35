//! Which kernel suits which word and purpose.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::compass::AtOnce;
use super::compass::{Compass, InTurn};
use super::lanes::Lanes;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use super::lanes::{Eight, Four, Wide};
use super::squares::Squares;

/// How one game on an `N` x `N` board of such a word is best computed.
pub trait Kernels<const N: u32>: Squares<N> + Lanes<Word = Self> {
    /// For move generation in a search: the most done side by side.
    type TreeLanes: Lanes<Word = Self>;
    type Tree: Compass<Self::TreeLanes>;
    /// For one random game: the shortest wait for its own last move.
    type SoloLanes: Lanes<Word = Self>;
    type Solo: Compass<Self::SoloLanes>;
    /// Lanes for several games.
    type Many: Lanes<Word = Self>;
    /// The same where AVX-512 was found at run time.
    type Most: Lanes<Word = Self>;
}

/// Where there are no vectors, everything runs on the word itself.
macro_rules! vectors {
    ($word:ty, $four:ty, $eight:ty) => {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        type TreeLanes = $four;
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        type Tree = AtOnce<$four, N>;
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        type Many = $four;
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        type Most = $eight;
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
        type TreeLanes = $word;
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
        type Tree = InTurn<$word, N>;
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
        type Many = $word;
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
        type Most = $word;
    };
}

impl<const N: u32> Kernels<N> for u64 {
    type SoloLanes = u64;
    type Solo = InTurn<u64, N>;
    vectors!(u64, Four, Eight);
}

impl<const N: u32> Kernels<N> for u128 {
    type SoloLanes = Self::TreeLanes;
    type Solo = Self::Tree;
    vectors!(u128, Wide<Four>, Wide<Eight>);
}
