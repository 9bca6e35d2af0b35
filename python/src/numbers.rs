//! Lists of the numbers of legal moves, of which Python programs ask more than of anything else.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};

/// Numbers that are put into a list one by one in the time of cutting a piece out of one, about.
const CUT: usize = 12;

/// Python's integers below a game's number of actions, made once: that saves a list a tenth of its time.
pub struct Numbers {
    each: Vec<Py<PyInt>>,
    /// The same as a list, which nobody else sees: Python copies it as a whole.
    all: Py<PyList>,
}

impl Numbers {
    pub fn below(py: Python<'_>, actions: usize) -> PyResult<Self> {
        let each: Vec<_> = (0..actions)
            .map(|number| PyInt::new(py, number).unbind())
            .collect();
        let all = PyList::new(py, &each)?.unbind();
        Ok(Numbers { each, all })
    }

    /// A new list of the numbers whose bits are set, ascending.
    pub fn list<'py>(&self, py: Python<'py>, words: &[u64]) -> PyResult<Bound<'py, PyList>> {
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        if runs(words) * CUT > count {
            return PyList::new(py, Ascending::new(words, &self.each, count));
        }
        let end = self.each.len();
        let list = self.all.bind(py).get_slice(0, end);
        let (mut at, mut kept) = (0, 0);
        while at < end {
            let set = seek(words, at, |word| word).min(end);
            if set > at {
                list.del_slice(kept, kept + set - at)?;
            }
            at = seek(words, set, |word| !word).min(end);
            kept += at - set;
        }
        Ok(list)
    }
}

/// How many pieces without a gap the set bits form.
fn runs(words: &[u64]) -> usize {
    let mut before = 0;
    let mut runs = 0;
    for word in words {
        runs += (word & !(word << 1 | before)).count_ones() as usize;
        before = word >> 63;
    }
    runs
}

/// The first bit from `from` on that is set in what `look` makes of the words; beyond them when there is none.
fn seek(words: &[u64], from: usize, look: impl Fn(u64) -> u64) -> usize {
    let mut mask = !0 << (from % 64);
    for (index, &word) in words.iter().enumerate().skip(from / 64) {
        let bits = look(word) & mask;
        if bits != 0 {
            return index * 64 + bits.trailing_zeros() as usize;
        }
        mask = !0;
    }
    words.len() * 64
}

/// Python's integers for the bits that are set.
struct Ascending<'a> {
    words: &'a [u64],
    /// Those for the word at the front, and so on.
    numbers: &'a [Py<PyInt>],
    /// What is left of the word at the front.
    word: u64,
    left: usize,
}

impl<'a> Ascending<'a> {
    fn new(words: &'a [u64], numbers: &'a [Py<PyInt>], count: usize) -> Self {
        Ascending {
            words,
            numbers,
            word: words.first().copied().unwrap_or(0),
            left: count,
        }
    }
}

impl<'a> Iterator for Ascending<'a> {
    type Item = &'a Py<PyInt>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.word == 0 {
            self.words = self.words.get(1..)?;
            self.word = *self.words.first()?;
            self.numbers = &self.numbers[64..];
        }
        let number = self.word.trailing_zeros();
        self.word &= self.word - 1;
        self.left -= 1;
        Some(&self.numbers[number as usize])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Ascending<'_> {}
