//! Loops that count their trips, those of the loops inside included.

use super::step::int;
use crate::prim::Prim;
use crate::schedule::{Body, Loop, Op, Region, ValueId};
use crate::types::ScalarType::{Bool, I32};

/// The code of a trip in a chunk. Behind the values carried there is one more, the trips made so far, those of loops inside
/// included; behind those captured the number of trips before the chunk.
pub(super) fn resumed(of: &Loop, most: i32) -> Region {
    let (carried, captures) = (of.init.len() as u32, of.captures.len() as u32);
    let mut body = Body::default();
    let before = body.push(Op::Arg(2 + carried + captures), I32);
    let own = body.push(Op::Arg(0), I32);
    let number = body.push(Op::Prim(Prim::Add, vec![before, own]), I32);
    let (mut region, spent) = counted(of, (body, number));
    let body = &mut region.body;
    let most = int(body, most);
    let fits = body.push(Op::Prim(Prim::Lt, vec![spent, most]), Bool);
    region.test = Some(match region.test {
        None => fits,
        Some(test) => body.push(Op::Prim(Prim::And, vec![test, fits]), Bool),
    });
    region
}

/// The code of a trip of the given number, behind what `body` has, with the trips made so far behind the values carried;
/// and their number before the trip.
fn counted(of: &Loop, (mut body, number): (Body, ValueId)) -> (Region, ValueId) {
    let (region, carried) = (&of.region, of.init.len() as u32);
    let spent = body.push(Op::Arg(1 + carried), I32);
    let mut now = vec![spent, int(&mut body, 1)];
    let new = body.append(&region.body, |body, (_, inst), new| match &inst.op {
        Op::Arg(0) => Some(number),
        Op::Arg(n) if *n > carried => Some(body.push(Op::Arg(n + 1), inst.ty)),
        Op::Loop(of) => {
            let (value, trips) = counting(body, of, new);
            now.push(trips);
            Some(value)
        }
        Op::Const(_) | Op::Symbol(_) | Op::Coord(_) | Op::Arg(_) => None,
        Op::Prim(..) | Op::Load(_) | Op::Out(..) => None,
    });
    let add = |sum, trips| body.push(Op::Prim(Prim::Add, vec![sum, trips]), I32);
    let all = now.into_iter().reduce(add);
    let next = region.next.iter().map(|v| new[v.index()]);
    let next = next.chain(all).collect();
    let test = region.test.map(|test| new[test.index()]);
    (Region { body, test, next }, spent)
}

/// A loop inside, and the trips that it makes, those of loops in it included.
fn counting(body: &mut Body, of: &Loop, new: &[ValueId]) -> (ValueId, ValueId) {
    let mut trip = Body::default();
    let number = trip.push(Op::Arg(0), I32);
    let operands: Vec<_> = of.operands().iter().map(|v| new[v.index()]).collect();
    let mut counting = of.on(&operands);
    counting.init.push(int(body, 0));
    counting.region = counted(of, (trip, number)).0;
    let value = body.push(Op::Loop(Box::new(counting)), I32);
    let trips = body.push(Op::Out(value, of.init.len() as u32), I32);
    (value, trips)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::RunError;
    use crate::constant::Const;
    use crate::schedule::scalar::{Surroundings, eval};
    use crate::schedule::{Load, SymbolId};

    struct Nowhere;

    impl Surroundings for Nowhere {
        fn symbol(&self, symbol: SymbolId) -> Const {
            panic!("{symbol:?}")
        }

        fn coord(&self, axis: u32) -> i32 {
            panic!("{axis}")
        }

        fn arg(&self, position: u32) -> Const {
            panic!("{position}")
        }

        fn load(&self, load: &Load, _: &[i32]) -> Result<Const, RunError> {
            panic!("{load:?}")
        }
    }

    /// Loops inside of each other, of these trips, which carry nothing; the one outermost last.
    fn nest(trips: &[i32]) -> (Body, Loop) {
        let mut inside = Body::default();
        if let Some((_, deeper)) = trips.split_last()
            && !deeper.is_empty()
        {
            let (body, of) = nest(deeper);
            inside = body;
            inside.push(Op::Loop(Box::new(of)), I32);
        }
        let mut body = Body::default();
        let trips = int(&mut body, trips[trips.len() - 1]);
        let region = Region {
            body: inside,
            test: None,
            next: vec![],
        };
        let of = Loop {
            trips,
            init: vec![],
            captures: vec![],
            region,
        };
        (body, of)
    }

    /// The trips that a chunk makes of the outermost loop, and all of them.
    fn chunk(trips: &[i32], most: i32) -> [i32; 2] {
        let (mut body, mut of) = nest(trips);
        let zero = int(&mut body, 0);
        of.region = resumed(&of, most);
        of.init.push(zero);
        of.captures.push(zero);
        let made = body.push(Op::Loop(Box::new(of)), I32);
        let spent = body.push(Op::Out(made, 0), I32);
        let values = eval(&body, &Nowhere).unwrap();
        [made, spent].map(|v| values[v.index()].as_i32().unwrap())
    }

    #[test]
    fn trips_of_loops_inside_count_at_any_depth() {
        assert_eq!(chunk(&[3], 100), [3, 3]);
        assert_eq!(chunk(&[5, 4, 3], 100), [3, 3 * (1 + 4 * (1 + 5))]);
        assert_eq!(chunk(&[5, 4, 3], 26), [2, 50]);
        assert_eq!(chunk(&[-1, 4, 3], 100), [3, 3 * (1 + 4)]);
        assert_eq!(chunk(&[2, 2, 2, 2], 16), [2, 30]);
    }
}
