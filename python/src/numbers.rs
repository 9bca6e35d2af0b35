//! Lists of the numbers of legal moves, of which Python programs ask more than of anything else.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Numbers that are put into a list one by one in the time of cutting a piece out of one, about.
const CUT: usize = 12;

/// Lists of at least so many numbers are cut out of the list of all, and kept: from a list that is kept the next one is made faster.
const LONG: usize = 48;

/// Numbers that are taken out of a list that is kept, at most.
const FEW: u32 = 8;

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
        let count: usize = words.iter().map(|word| word.count_ones() as usize).sum();
        if count < LONG || runs(words) * CUT > count {
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

/// The list of a state's moves as it was asked for last, which nobody else sees, and its numbers as bits. In a game whose moves only take
/// numbers away, such as Hex, the next list is a copy of this one but for a few. Copies of a state share it.
#[derive(Default)]
pub struct Last(Mutex<Option<Arc<Kept>>>);

struct Kept {
    words: Vec<u64>,
    list: Py<PyList>,
}

impl Clone for Last {
    fn clone(&self) -> Self {
        Last(Mutex::new(self.lock().clone()))
    }
}

impl Last {
    fn lock(&self) -> MutexGuard<'_, Option<Arc<Kept>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What [`Numbers::list`] makes, from the last one where that is faster.
    pub fn list<'py>(
        &self,
        py: Python<'py>,
        numbers: &Numbers,
        words: &[u64],
    ) -> PyResult<Bound<'py, PyList>> {
        // Taken out while it changes: an error leaves nothing behind.
        let kept = self.lock().take();
        if let Some(kept) = kept.filter(|kept| kept.is_near(words)) {
            let kept = Kept::without(kept, py, words)?;
            let list = copied(kept.list.bind(py));
            *self.lock() = Some(kept);
            return Ok(list);
        }
        let list = numbers.list(py, words)?;
        if list.len() >= LONG {
            let (words, list) = (words.to_vec(), copied(&list).unbind());
            *self.lock() = Some(Arc::new(Kept { words, list }));
        }
        Ok(list)
    }
}

impl Kept {
    /// Whether these are the same numbers, or all but a few of them.
    fn is_near(&self, words: &[u64]) -> bool {
        let pairs = || self.words.iter().zip(words);
        let gone = pairs().map(|(kept, word)| (kept & !word).count_ones());
        pairs().all(|(kept, word)| word & !kept == 0) && gone.sum::<u32>() <= FEW
    }

    /// The list of these numbers, which are among its own.
    fn without(mut kept: Arc<Self>, py: Python<'_>, words: &[u64]) -> PyResult<Arc<Self>> {
        if kept.words == words {
            return Ok(kept);
        }
        if Arc::get_mut(&mut kept).is_none() {
            let list = copied(kept.list.bind(py)).unbind();
            let words = kept.words.clone();
            kept = Arc::new(Kept { words, list });
        }
        if let Some(own) = Arc::get_mut(&mut kept) {
            own.remove(py, words)?;
        }
        Ok(kept)
    }

    /// Takes all numbers out but these.
    fn remove(&mut self, py: Python<'_>, words: &[u64]) -> PyResult<()> {
        let list = self.list.bind(py);
        // Where the word's numbers begin in what is left of the list.
        let mut begin = 0;
        for (kept, word) in self.words.iter_mut().zip(words) {
            while *kept != *word {
                let gone = (*kept & !word).trailing_zeros();
                let below = *kept & ((1 << gone) - 1);
                list.del_item(begin + below.count_ones() as usize)?;
                *kept &= !(1 << gone);
            }
            begin += word.count_ones() as usize;
        }
        Ok(())
    }
}

fn copied<'py>(list: &Bound<'py, PyList>) -> Bound<'py, PyList> {
    list.get_slice(0, list.len())
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
