#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::*;
use std::sync::Barrier;
use std::sync::atomic::AtomicBool;
use std::thread;

const INPUT: usize = 3;
const POLICY: usize = 2;
/// Long enough to hang a test that would depend on it.
const FOR_EVER: Duration = Duration::from_secs(1 << 20);

fn limits(capacity: usize, wait: Duration) -> Limits {
    Limits {
        input: INPUT,
        policy: POLICY,
        capacity,
        wait,
        patience: FOR_EVER,
    }
}

/// What a test wants to see of a device, and do to it.
#[derive(Default)]
struct Log {
    batches: AtomicUsize,
    largest: AtomicUsize,
    /// Devices that have gone.
    dropped: AtomicUsize,
    /// The batch that goes wrong, counted from 1.
    bad: AtomicUsize,
    hold: AtomicBool,
}

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    Error,
    Panic,
    NotANumber,
    Silence,
}

struct Fake {
    inputs: Vec<f32>,
    log: Arc<Log>,
    wrong: Wrong,
}

fn value(input: &[f32]) -> f32 {
    input[0] + 2.0 * input[1] - input[2]
}

impl Compute for Fake {
    fn inputs(&mut self) -> &mut [f32] {
        &mut self.inputs
    }

    fn compute(
        &mut self,
        batch: usize,
        values: &mut [f32],
        policies: &mut [f32],
    ) -> Result<(), DeviceError> {
        self.log.largest.fetch_max(batch, Ordering::SeqCst);
        let count = self.log.batches.fetch_add(1, Ordering::SeqCst) + 1;
        let inputs = self.inputs.chunks(INPUT);
        for (slot, input) in values.iter_mut().zip(inputs.clone()) {
            *slot = value(input);
        }
        for (slots, input) in policies.chunks_mut(POLICY).zip(inputs) {
            slots.copy_from_slice(&[input[0], -input[1]]);
        }
        if count != self.log.bad.load(Ordering::SeqCst) {
            return Ok(());
        }
        match self.wrong {
            Wrong::Error => return Err(DeviceError("out of memory".into())),
            Wrong::Panic => panic!("a binding that panics"),
            Wrong::NotANumber => values[batch - 1] = f32::NAN,
            Wrong::Silence => {
                while self.log.hold.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
            }
        }
        Ok(())
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.log.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

/// Marks its answers, which are otherwise the device's.
struct Reserve;

const MARK: f32 = 1000.0;

impl Runner for Reserve {
    fn run(&mut self, inputs: &[f32], values: &mut [f32], policies: Option<&mut [f32]>) {
        for (slot, input) in values.iter_mut().zip(inputs.chunks(INPUT)) {
            *slot = value(input) + MARK;
        }
        policies.unwrap_or_default().fill(MARK);
    }

    fn another(&self) -> Box<dyn Runner> {
        Box::new(Reserve)
    }
}

fn start(workers: usize, limits: Limits, log: &Arc<Log>, wrong: Wrong) -> Shared {
    let device = || Fake {
        inputs: vec![0.0; limits.capacity * INPUT],
        log: Arc::clone(log),
        wrong,
    };
    let devices = (0..workers).map(|_| Box::new(device()) as Box<dyn Compute>);
    Shared::start(devices.collect(), limits, Box::new(Reserve)).unwrap()
}

/// Asks about `batch` positions that nobody else asks about, and says whether the device answered.
fn ask(runner: &mut dyn Runner, who: usize, round: usize, batch: usize) -> bool {
    let inputs: Vec<f32> = (0..batch * INPUT)
        .map(|at| (who * 100 + round * 10 + at) as f32)
        .collect();
    let (mut values, mut policies) = (vec![0.0; batch], vec![0.0; batch * POLICY]);
    let with_policy = (who + round).is_multiple_of(2);
    runner.run(&inputs, &mut values, with_policy.then_some(&mut policies));
    let by_device = batch == 0 || values[0] == value(&inputs);
    for (at, input) in inputs.chunks(INPUT).enumerate() {
        let (expected, logits) = match by_device {
            true => (value(input), [input[0], -input[1]]),
            false => (value(input) + MARK, [MARK; POLICY]),
        };
        assert_eq!(values[at], expected, "{who} {round} {at}");
        if with_policy {
            assert_eq!(
                policies[at * POLICY..][..POLICY],
                logits,
                "{who} {round} {at}"
            );
        }
    }
    by_device
}

#[test]
fn everybody_gets_their_own_answers() {
    for workers in [1, 2, 3] {
        let log = Arc::new(Log::default());
        let main = start(
            workers,
            limits(16, Duration::from_micros(100)),
            &log,
            Wrong::Error,
        );
        thread::scope(|scope| {
            for who in 0..8 {
                let mut runner = main.another();
                // Some requests are larger than a batch may be, some are empty.
                scope.spawn(move || {
                    (0..200).for_each(|round| {
                        assert!(ask(&mut *runner, who, round, (who * round) % 41))
                    })
                });
            }
        });
        assert!(log.largest.load(Ordering::SeqCst) <= 16);
        assert_eq!(main.failure(), None);
        drop(main);
        assert_eq!(
            log.dropped.load(Ordering::SeqCst),
            workers,
            "the last handle ends the workers"
        );
    }
}

#[test]
fn a_batch_goes_when_all_who_could_ask_have_asked() {
    let log = Arc::new(Log::default());
    let main = start(2, limits(64, FOR_EVER), &log, Wrong::Error);
    thread::scope(|scope| {
        for who in 0..4 {
            let mut runner = main.another();
            // They end at different times: one that has gone is not waited for, either.
            scope.spawn(move || {
                (0..50 * (who + 1)).for_each(|round| assert!(ask(&mut *runner, who, round, 3)))
            });
        }
    });
    assert!(
        log.largest.load(Ordering::SeqCst) > 3,
        "requests were joined"
    );
}

#[test]
fn one_that_thinks_does_not_keep_the_others() {
    let main = start(
        2,
        limits(64, Duration::from_micros(50)),
        &Arc::default(),
        Wrong::Error,
    );
    let (others_done, wait) = channel::bounded::<()>(0);
    let met = Barrier::new(3);
    thread::scope(|scope| {
        let (mut slow, met) = (main.another(), &met);
        scope.spawn(move || {
            assert!(ask(&mut *slow, 9, 0, 2));
            met.wait();
            assert!(wait.recv().is_err());
            assert!(ask(&mut *slow, 9, 1, 2));
        });
        for who in 0..2 {
            let (mut runner, done) = (main.another(), others_done.clone());
            scope.spawn(move || {
                met.wait();
                (0..30).for_each(|round| assert!(ask(&mut *runner, who, round, 5)));
                drop(done);
            });
        }
        drop(others_done);
    });
}

#[test]
fn handles_may_go_in_any_order() {
    for gone in 0..3 {
        let log = Arc::new(Log::default());
        let main = start(2, limits(8, FOR_EVER), &log, Wrong::Error);
        let mut handles = vec![main.another(), main.another()];
        handles.push(Box::new(main));
        drop(handles.remove(gone));
        for (who, runner) in handles.iter_mut().enumerate() {
            assert!(ask(&mut **runner, who, 1, 1));
        }
        drop(handles);
        assert_eq!(log.dropped.load(Ordering::SeqCst), 2);
    }
}

#[test]
fn a_failing_device_is_replaced_without_losing_a_request() {
    for wrong in [Wrong::Error, Wrong::Panic, Wrong::NotANumber] {
        let log = Arc::new(Log::default());
        log.bad.store(5, Ordering::SeqCst);
        let mut main = start(2, limits(16, Duration::from_micros(100)), &log, wrong);
        let by_device = AtomicUsize::new(0);
        thread::scope(|scope| {
            for who in 0..4 {
                let (mut runner, by_device) = (main.another(), &by_device);
                scope.spawn(move || {
                    for round in 0..20 {
                        by_device.fetch_add(
                            usize::from(ask(&mut *runner, who, round, 3)),
                            Ordering::SeqCst,
                        );
                    }
                });
            }
        });
        assert!(by_device.into_inner() >= 3, "what was right is kept");
        let failure = main.failure().unwrap().to_string();
        assert!(!ask(&mut main, 4, 0, 3), "it is not asked again");
        let expected = match wrong {
            Wrong::Error => "out of memory",
            Wrong::Panic => "panicked",
            _ => "no finite number",
        };
        assert!(failure.contains(expected), "{failure}");
    }
}

#[test]
fn a_device_that_never_answers_is_left_to_itself() {
    let log = Arc::new(Log::default());
    log.bad.store(1, Ordering::SeqCst);
    log.hold.store(true, Ordering::SeqCst);
    let patience = Duration::from_millis(20);
    let limits = Limits {
        patience,
        ..limits(8, Duration::ZERO)
    };
    let mut main = start(1, limits, &log, Wrong::Silence);
    let mut other = main.another();
    assert!(!ask(&mut main, 1, 1, 2));
    assert!(!ask(&mut *other, 2, 1, 2));
    assert!(main.failure().unwrap().to_string().contains("not answered"));
    // Its thread still hangs in the device, and yet this returns.
    drop((main, other));
    assert_eq!(log.dropped.load(Ordering::SeqCst), 0);
    log.hold.store(false, Ordering::SeqCst);
}

#[test]
fn a_device_that_cannot_be_prepared_is_none() {
    struct Unready;
    impl Compute for Unready {
        fn prepare(&mut self) -> Result<(), DeviceError> {
            Err(DeviceError("no kernel for it".into()))
        }
        fn inputs(&mut self) -> &mut [f32] {
            &mut []
        }
        fn compute(&mut self, _: usize, _: &mut [f32], _: &mut [f32]) -> Result<(), DeviceError> {
            Ok(())
        }
    }
    let limits = limits(8, FOR_EVER);
    let ready = Fake {
        inputs: vec![0.0; 8 * INPUT],
        log: Arc::default(),
        wrong: Wrong::Error,
    };
    let devices: Vec<Box<dyn Compute>> = vec![Box::new(ready), Box::new(Unready)];
    let error = Shared::start(devices, limits, Box::new(Reserve)).unwrap_err();
    assert_eq!(error.to_string(), "no kernel for it");
}
