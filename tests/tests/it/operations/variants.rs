//! Elements of one of several forms: enums, options, results; and characters.

use super::{gives, vector};
use cotangent::prelude::*;
use cotangent::{Cpu, compile};
use cotangent_tests::differences::all_agree;
use std::f64::consts::PI;

#[derive(Clone, Debug, PartialEq, Elt)]
enum Form {
    Circle(f64),
    Rect { width: f64, height: f64 },
    Nothing,
    HTTPPage([f64; 2], i64),
}

#[derive(Clone, Copy, Debug, PartialEq, Elt)]
enum Color {
    Red,
    Green,
    Match,
    If,
}

#[derive(Clone, Debug, PartialEq, Elt)]
enum Either<L, R> {
    Left(L),
    Right(R),
}

/// An element with variants deep inside.
#[derive(Clone, Debug, PartialEq, Elt)]
struct Item {
    weight: f64,
    form: Option<Form>,
    colors: [Color; 2],
}

fn forms() -> Vec<Form> {
    vec![
        Form::Circle(2.0),
        Form::Nothing,
        Form::Rect {
            width: 2.0,
            height: 3.0,
        },
        Form::HTTPPage([1.0, 2.5], 4),
        Form::Circle(0.5),
    ]
}

fn area(form: FormE) -> Exp<f64> {
    form.match_(
        |radius| PI * radius * radius,
        |width, height| width * height,
        || 0.0,
        |[a, b], pages| a * b * pages.to_f64(),
    )
}

#[test]
fn forms_are_told_apart() {
    let areas = vec![4.0 * PI, 0.0, 6.0, 10.0, 0.25 * PI];
    gives(
        |v: Acc<Ix1, Form>| v.map(area),
        vector(forms()),
        vector(areas),
    );
    let tags = vector(vec![0, 2, 1, 3, 0]);
    gives(
        |v: Acc<Ix1, Form>| v.map(|form| form.tag()),
        vector(forms()),
        tags,
    );
    let pages = vector(vec![false, false, false, true, false]);
    let is_page = |v: Acc<Ix1, Form>| v.map(|form| form.is_http_page());
    gives(is_page, vector(forms()), pages);
}

#[test]
fn forms_are_made() {
    let make = |v: Acc<Ix1, f64>| {
        v.map(|x| {
            let rect = FormE::rect(x, 2.0 * x);
            let some = cond(x.gt(1.0), FormE::circle(x), rect);
            cond(x.lt(0.0), FormE::nothing(), some)
        })
    };
    let made = vec![
        Form::Nothing,
        Form::Rect {
            width: 1.0,
            height: 2.0,
        },
        Form::Circle(3.0),
    ];
    gives(make, vector([-1.0, 1.0, 3.0]), vector(made));
    gives(
        |v: Acc<Ix1, Form>| v.reverse().reverse(),
        vector(forms()),
        vector(forms()),
    );
    gives(
        |v: Acc<Ix1, Form>| v.map(|form| form),
        vector(vec![]),
        vector(vec![]),
    );
}

#[test]
fn variants_without_fields() {
    use Color::{Green, If, Match, Red};
    let next = |v: Acc<Ix1, Color>| {
        v.map(|color| {
            color.match_(
                ColorE::green,
                ColorE::match_variant,
                ColorE::if_,
                ColorE::red,
            )
        })
    };
    let colors = vec![Red, Green, Match, If];
    gives(
        next,
        vector(colors.clone()),
        vector(vec![Green, Match, If, Red]),
    );
    let codes = |v: Acc<Ix1, Color>| v.map(|color| color.match_(|| 10, || 20, || 30, || 40));
    gives(codes, vector(colors.clone()), vector(vec![10, 20, 30, 40]));
    let is_if = |v: Acc<Ix1, Color>| v.map(|color| color.is_if());
    gives(
        is_if,
        vector(colors),
        vector(vec![false, false, false, true]),
    );
}

#[test]
fn variants_of_any_type() {
    type Number = Either<f32, (i32, bool)>;
    let doubled = |v: Acc<Ix1, Number>| {
        v.map(|x| {
            x.match_(
                |x| EitherE::<f32, (i32, bool)>::left(2.0 * x),
                |(n, flag)| EitherE::right((2 * n, !flag)),
            )
        })
    };
    let given = vec![Either::Left(1.5), Either::Right((3, true))];
    let expected = vec![Either::Left(3.0), Either::Right((6, false))];
    gives(doubled, vector(given), vector(expected));
}

#[test]
fn variants_within_elements() {
    let item = |weight, form, colors| Item {
        weight,
        form,
        colors,
    };
    let items = vec![
        item(0.5, Some(Form::Circle(1.0)), [Color::Red, Color::If]),
        item(2.0, None, [Color::Green, Color::Green]),
    ];
    let f = |v: Acc<Ix1, Item>| {
        v.map(|item: ItemE| {
            let reds = item.colors[0].is_red().to::<f64>();
            item.weight * item.form.match_(area, || 1.0) + reds
        })
    };
    gives(f, vector(items.clone()), vector([0.5 * PI + 1.0, 2.0]));
    gives(
        |v: Acc<Ix1, Item>| v.append(v),
        vector(items.clone()),
        vector([&items[..], &items[..]].concat()),
    );
}

/// As many elements as make several pieces on the CPU, in all variants.
#[test]
fn many_elements() {
    for n in [1, 7, 70_000] {
        let given: Vec<Option<(f64, i32)>> = (0..n)
            .map(|i| (i % 3 > 0).then_some((f64::from(i), i)))
            .collect();
        let expected: Vec<Result<f64, i32>> = given
            .iter()
            .map(|x| {
                x.map_or(
                    Err(-1),
                    |(x, i)| if i % 2 == 0 { Ok(x + 1.0) } else { Err(i) },
                )
            })
            .collect();
        let f = |v: Acc<Ix1, Option<(f64, i32)>>| {
            v.map(|x| {
                let of = |(x, i): (Exp<f64>, Exp<i32>)| {
                    cond((i % 2).eq_(0), ResultE::ok(x + 1.0), ResultE::err(i))
                };
                x.match_(of, || ResultE::<f64, i32>::err(-1))
            })
        };
        gives(f, vector(given), vector(expected));
    }
}

/// The greatest that is there; an associative operator on options.
#[test]
fn folds_scans_and_loops_of_options() {
    let greatest = |x: OptionE<f64>, y: OptionE<f64>| {
        let both = |x: Exp<f64>| y.match_(|y| OptionE::<f64>::some(x.max(y)), || OptionE::some(x));
        x.match_(both, || y)
    };
    let given = vec![None, Some(1.0), None, Some(3.0), Some(2.0)];
    let running = vec![None, Some(1.0), Some(1.0), Some(3.0), Some(3.0)];
    let fold = move |v: Acc<Ix1, Option<f64>>| v.fold(OptionE::<f64>::none(), greatest);
    gives(fold, vector(given.clone()), Array::scalar(Some(3.0)));
    gives(fold, vector(vec![None; 3]), Array::scalar(None));
    let scan = move |v: Acc<Ix1, Option<f64>>| v.scanl1(greatest);
    gives(scan, vector(given.clone()), vector(running));
    let first = |v: Acc<Ix1, Option<f64>>| {
        let found = |i: Exp<i32>, found: OptionE<f64>| cond(found.is_some(), found, v.at(ix![i]));
        unit(iterate(v.inner(), found, OptionE::<f64>::none()))
    };
    gives(first, vector(given.clone()), Array::scalar(Some(1.0)));
    let halved = |v: Acc<Ix1, Option<f64>>| {
        aiterate(
            2,
            |_, v: Acc<Ix1, Option<f64>>| v.map(|x| x.map(|x| x / 2.0)),
            v,
        )
    };
    gives(
        halved,
        vector(given),
        vector(vec![None, Some(0.25), None, Some(0.75), Some(0.5)]),
    );
}

#[test]
fn derivatives_are_of_the_same_variant() {
    let energy = |v: Acc<Ix1, Form>| v.map(|form| area(form) * area(form)).sum();
    all_agree(energy, vector(forms()));
    let by_forms = |v: Acc<Ix1, Form>| gradient_a(|v: Acc<Ix1, Form>| v.map(area).sum(), v);
    let expected = vec![
        Form::Circle(4.0 * PI),
        Form::Nothing,
        Form::Rect {
            width: 3.0,
            height: 2.0,
        },
        Form::HTTPPage([10.0, 4.0], 0),
        Form::Circle(PI),
    ];
    gives(by_forms, vector(forms()), vector(expected.clone()));
    let one_by_one = |v: Acc<Ix1, Form>| v.map(|form| gradient_e(area, form));
    gives(one_by_one, vector(forms()), vector(expected));
}

/// In all modes: the tangent of what is made has the variant of what is made.
#[test]
fn tangents_are_of_the_same_variant() {
    type V = Acc<Ix1, Option<f64>>;
    let given = || vector(vec![Some(3.0), None, Some(-1.0)]);
    let root = |x: Exp<f64>| cond(x.gt(0.0), OptionE::some(x * x), OptionE::none());
    let roots = move |v: V| v.map(|x| x.and_then(root));
    let tangent = move |v: V| jvp_a(roots, v, v).1;
    gives(tangent, given(), vector(vec![Some(18.0), None, None]));
    let tangent = move |v: V| v.map(|x| jvp_e(|x: OptionE<f64>| x.and_then(root), x, x).1);
    gives(tangent, given(), vector(vec![Some(18.0), None, None]));
    let back = move |v: V| vjp_a(roots, v, v);
    gives(back, given(), vector(vec![Some(18.0), None, Some(0.0)]));
    let back = move |v: V| v.map(|x| vjp_e(|x: OptionE<f64>| x.and_then(root), x, x));
    gives(back, given(), vector(vec![Some(18.0), None, Some(0.0)]));
    let cubes = |v: V| v.map(|x| x.match_(|x| x * x * x, || 0.0)).sum();
    let along = move |v: V| hvp_a(cubes, v, v);
    gives(along, given(), vector(vec![Some(54.0), None, Some(6.0)]));
    let both = move |v: V| {
        (
            value_and_gradient_a(cubes, v).1,
            gradient_aux_a(|v| (cubes(v), v), v).0,
        )
    };
    let expected = || vector(vec![Some(27.0), None, Some(3.0)]);
    gives(both, given(), (expected(), expected()));
}

#[test]
fn states_of_loops_that_are_differentiated() {
    let f = |v: Acc<Ix1, f64>| {
        let step = |_: Exp<i32>, state: Acc<Ix1, Either<f64, (f64, f64)>>| {
            state.map(|x| {
                x.match_(
                    |x| EitherE::<f64, (f64, f64)>::right((x.sin(), 2.0 * x)),
                    |(a, b)| {
                        cond(
                            a.gt(0.5),
                            EitherE::left(a * b),
                            EitherE::right((b.cos(), a)),
                        )
                    },
                )
            })
        };
        let start = v.map(|x| EitherE::<f64, (f64, f64)>::left(x));
        let last = aiterate(5, step, start);
        last.map(|x| x.match_(|x| x * x, |(a, b)| a * b)).sum()
    };
    all_agree(f, vector([0.3, 0.9, 1.4, -0.8]));
}

#[test]
fn structs_of_arrays_of_variants() {
    #[derive(Clone, Copy, Arrays)]
    struct Model {
        forms: Acc<Ix1, Form>,
        scale: Acc<Z, f64>,
    }
    let f = |model: Model| model.forms.map(|form| area(form) * model.scale.the()).sum();
    let program = compile(move |model: Model| gradient_a(f, model)).unwrap();
    let given = ModelHost {
        forms: vector(vec![Form::Circle(1.0), Form::Nothing]),
        scale: Array::scalar(2.0),
    };
    let found = program.run(&Cpu::default(), given).unwrap();
    assert_eq!(
        found.forms.to_vec(),
        [Form::Circle(4.0 * PI), Form::Nothing]
    );
    assert_eq!(found.scale.item(), PI);
}

/// No tuple of more than twelve parts can be compared, so these are taken apart.
#[test]
fn tuples_of_sixteen() {
    type Six = (f64, f64, f64, f64, f64, i32);
    type Sixteen = (
        f64,
        i8,
        f32,
        bool,
        char,
        u16,
        i64,
        Six,
        f64,
        f64,
        f64,
        f64,
        f64,
        f64,
        f64,
        f64,
    );
    let make = |v: Acc<Ix1, f64>| {
        v.map(|x| {
            let six = (x, x, x, x, x, 6);
            (
                x,
                1_i8,
                2.0_f32,
                true,
                'c',
                3_u16,
                4_i64,
                six,
                x,
                x,
                x,
                x,
                x,
                x,
                x,
                2.0 * x,
            )
        })
    };
    let program = compile(make).unwrap();
    let found: Vec<Sixteen> = program
        .run(&Cpu::default(), vector([0.5]))
        .unwrap()
        .to_vec();
    assert_eq!(
        (found[0].1, found[0].4, found[0].7.5, found[0].15),
        (1, 'c', 6, 1.0)
    );
    let last = |v: Acc<Ix1, Sixteen>| v.map(|x| x.15);
    gives(last, vector(found), vector([1.0]));
}

/// Of all characters of ASCII, and some others, in several radices.
#[test]
fn digits() {
    let text: Vec<char> = (0..256)
        .filter_map(char::from_u32)
        .chain(['٣', 'Ａ'])
        .collect();
    let numbers: Vec<u32> = (0..40).chain([u32::MAX]).collect();
    for radix in [2, 10, 11, 16, 36] {
        let expected: Vec<_> = text.iter().map(|c| c.to_digit(radix)).collect();
        let are: Vec<_> = expected.iter().map(Option::is_some).collect();
        gives(
            move |v: Acc<Ix1, char>| v.map(|c| (c.to_digit(radix), c.is_digit(radix))),
            vector(text.clone()),
            vector(expected.into_iter().zip(are).collect::<Vec<_>>()),
        );
        let back = numbers.iter().map(|&n| char::from_digit(n, radix));
        gives(
            move |v: Acc<Ix1, u32>| v.map(|n| CharE::from_digit(n, radix)),
            vector(numbers.clone()),
            vector(back.collect::<Vec<_>>()),
        );
    }
    gives(
        |v: Acc<Ix1, char>| v.map(|c| c.to_digit(99)),
        vector(['z', '{']),
        vector([Some(35), None]),
    );
}

#[test]
fn characters() {
    let text = || vector("Grüße, 42 \u{10ffff}\tZz".chars().collect::<Vec<_>>());
    let of = |f: fn(char) -> bool| vector(text().to_vec().into_iter().map(f).collect::<Vec<_>>());
    macro_rules! tests {
        ($($name:ident)*) => {$(
            gives(|v: Acc<Ix1, char>| v.map(|c| c.$name()), text(), of(|c| c.$name()));
        )*};
    }
    tests!(
        is_ascii is_ascii_digit is_ascii_uppercase is_ascii_lowercase is_ascii_alphabetic
        is_ascii_alphanumeric is_ascii_whitespace is_ascii_hexdigit is_ascii_graphic is_ascii_punctuation
        is_ascii_control
    );
    let upper: Vec<char> = text()
        .to_vec()
        .iter()
        .map(char::to_ascii_uppercase)
        .collect();
    let lower: Vec<char> = text()
        .to_vec()
        .iter()
        .map(char::to_ascii_lowercase)
        .collect();
    gives(
        |v: Acc<Ix1, char>| v.map(|c| c.to_ascii_uppercase()),
        text(),
        vector(upper),
    );
    gives(
        |v: Acc<Ix1, char>| v.map(|c| c.to_ascii_lowercase()),
        text(),
        vector(lower),
    );
    macro_rules! comparisons {
        ($($name:ident $op:tt)*) => {$(
            gives(|v: Acc<Ix1, char>| v.map(|c| c.$name('r')), text(), of(|c| c $op 'r'));
        )*};
    }
    comparisons!(eq_ == ne_ != lt < le <= gt > ge >=);
    let codes: Vec<u32> = text().to_vec().into_iter().map(u32::from).collect();
    gives(
        |v: Acc<Ix1, char>| v.map(|c| c.to_u32()),
        text(),
        vector(codes.clone()),
    );
    gives(
        |v: Acc<Ix1, u32>| v.map(CharE::from_u32),
        vector(codes),
        text(),
    );
    // What is no character is none where it leaves the program.
    let program = compile(|v: Acc<Ix1, u32>| v.map(CharE::from_u32)).unwrap();
    let found = program.run(&Cpu::default(), vector(vec![0xd800, 0x11_0000, 97]));
    assert_eq!(found.unwrap().to_vec(), ['\u{fffd}', '\u{fffd}', 'a']);
    gives(
        |v: Acc<Ix1, char>| v.map(|c| cond(c.eq_(' '), '_', c)),
        vector(vec!['a', ' ']),
        vector(vec!['a', '_']),
    );
}
