//! Values with the logits of all moves by key, in shards with one lock each.

use parking_lot::Mutex;

/// More than threads that are likely to ask at the same moment.
const SHARDS: usize = 64;
/// Bytes of logits that a policy is expected to have; more just means fewer policies.
const TYPICAL: usize = 128;

#[derive(Debug)]
struct Entry {
    key: u64,
    value: f32,
    logits: Box<[f32]>,
}

#[derive(Debug)]
struct Shard {
    slots: Box<[Option<Entry>]>,
    /// Bytes that logits take and may take.
    used: usize,
    most: usize,
    /// Where room is made next.
    hand: usize,
}

#[derive(Debug)]
pub struct Policies {
    shards: Box<[Mutex<Shard>]>,
}

impl Policies {
    /// Within `bytes`, about.
    pub fn new(bytes: usize) -> Self {
        let slot = size_of::<Option<Entry>>();
        let each = bytes / SHARDS;
        let count = (each / (slot + TYPICAL)).max(1);
        let shard = || Shard {
            slots: (0..count).map(|_| None).collect(),
            used: 0,
            most: each.saturating_sub(count * slot),
            hand: 0,
        };
        Policies {
            shards: (0..SHARDS).map(|_| Mutex::new(shard())).collect(),
        }
    }

    fn shard(&self, key: u64) -> &Mutex<Shard> {
        &self.shards[key as usize % SHARDS]
    }

    /// The value of the position with `key` and `count` moves, whose logits `take` gets.
    pub fn get(&self, key: u64, count: usize, take: impl FnOnce(&[f32])) -> Option<f32> {
        let shard = self.shard(key).lock();
        let entry = shard.slots[shard.place(key)].as_ref()?;
        let same = entry.key == key && entry.logits.len() == count;
        same.then(|| {
            take(&entry.logits);
            entry.value
        })
    }

    /// Keeps a policy, in the place of others if need be.
    pub fn put(&self, key: u64, value: f32, logits: Box<[f32]>) {
        let mut shard = self.shard(key).lock();
        let bytes = bytes(&logits);
        if bytes > shard.most {
            return;
        }
        let place = shard.place(key);
        shard.free(place);
        while shard.used + bytes > shard.most {
            let hand = shard.hand;
            shard.free(hand);
            shard.hand = (hand + 1) % shard.slots.len();
        }
        shard.used += bytes;
        shard.slots[place] = Some(Entry { key, value, logits });
    }

    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            (0..shard.slots.len()).for_each(|place| shard.free(place));
        }
    }

    /// Bytes in use, slots included.
    #[cfg(test)]
    pub fn used(&self) -> usize {
        let slot = size_of::<Option<Entry>>();
        let shards = self.shards.iter().map(|shard| shard.lock());
        shards.map(|s| s.used + s.slots.len() * slot).sum()
    }
}

impl Shard {
    fn place(&self, key: u64) -> usize {
        (key >> 8) as usize % self.slots.len()
    }

    fn free(&mut self, place: usize) {
        if let Some(entry) = self.slots[place].take() {
            self.used -= bytes(&entry.logits);
        }
    }
}

/// What logits take, with what the allocator adds.
fn bytes(logits: &[f32]) -> usize {
    size_of_val(logits) + 16
}
