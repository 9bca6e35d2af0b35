use super::*;

#[test]
fn t() {
    let mut t = Tables::default();
    for n in 2..=std::env::var("N").map_or(3, |n| n.parse().unwrap()) {
        let b = std::time::Instant::now();
        solve(&mut t, n, 2, &mut |s| eprintln!("{n} {s:.3} {:?}", b.elapsed()));
        for class in Class::all(n) {
            let mut c = [0usize; 4]; let mut longest = 0;
            for code in t.codes[class.number()].iter() {
                match *code { 255 => c[2]+=1, 252|253 => c[3]+=1, x => { c[(x%2) as usize]+=1; longest = longest.max(x); } }
            }
            eprintln!("{class:?} {c:?} longest {longest}");
        }
    }
}
