//! Arrays as data of any format that `serde` knows: the shape, and the elements in row-major order; the feature `serde` has it.
//!
//! ```
//! # use cotangent_core::surface::prelude::*;
//! let points = Array::<Ix1, (i32, f64)>::from([(1, 0.5), (2, 1.5)]);
//! let text = serde_json::to_string(&points)?;
//! assert_eq!(text, r#"{"shape":[2],"elements":[[1,0.5],[2,1.5]]}"#);
//! assert_eq!(serde_json::from_str::<Array<Ix1, (i32, f64)>>(&text)?, points);
//!
//! let error = serde_json::from_str::<Array<Ix2, (i32, f64)>>(&text).unwrap_err();
//! assert!(error.to_string().starts_with("an array of rank 2 is needed here, not one of shape [2]"));
//! # Ok::<(), serde_json::Error>(())
//! ```

use super::Array;
use crate::surface::elt::Elt;
use crate::surface::shape::Shape;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(rename = "Array", deny_unknown_fields)]
struct Form<S, T> {
    shape: S,
    elements: Vec<T>,
}

impl<Sh: Shape, T: Elt + Serialize> Serialize for Array<Sh, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let elements = self.try_to_vec().map_err(serde::ser::Error::custom)?;
        let shape = self.shape();
        Form { shape, elements }.serialize(serializer)
    }
}

impl<'de, Sh: Shape, T: Elt + Deserialize<'de>> Deserialize<'de> for Array<Sh, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Form { shape, elements } = Form::<Vec<usize>, T>::deserialize(deserializer)?;
        let rank = Sh::RANK;
        if shape.len() != rank {
            let problem =
                format!("an array of rank {rank} is needed here, not one of shape {shape:?}");
            return Err(D::Error::custom(problem));
        }
        Self::of_elements(shape, elements).map_err(D::Error::custom)
    }
}
