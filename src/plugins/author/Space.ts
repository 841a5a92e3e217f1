/** Spaces: the sets of possible observations and actions of a world. */

/** Numbers in nested lists, in the layout of numpy's `tolist`. A Box also holds `"Infinity"` and `"-Infinity"`. */
export type Nested<A = number> = A | ReadonlyArray<Nested<A>>

/** A bound of a Box. Infinities are text, because JSON has none. */
export type Bound = number | "Infinity" | "-Infinity"

/** A Box of numbers, in nested lists of its shape: `[]` is one number, `[2, 3]` is two lists of three. */
export interface BoxSpace {
  readonly type: "Box"
  /** A numpy dtype: `float32`, `float64`, `int64`, `uint8` … A `bool` has `false` and `true` as values and bounds. */
  readonly dtype: string
  readonly shape: ReadonlyArray<number>
  /** Nested lists of the shape, or one bound for every entry. */
  readonly low: Nested<Bound | boolean>
  readonly high: Nested<Bound | boolean>
}

/** The integers from `start` (default: 0) to `start + n - 1`. */
export interface DiscreteSpace {
  readonly type: "Discrete"
  readonly n: number
  readonly start?: number
  readonly dtype?: string
}

/** Several Discrete spaces, in nested lists of the shape of `nvec`. */
export interface MultiDiscreteSpace {
  readonly type: "MultiDiscrete"
  readonly nvec: Nested
  /** The lowest value of each, in the shape of `nvec`. Default: 0 for each. */
  readonly start?: Nested
  readonly dtype?: string
}

/** Lists of 0 and 1: `n` of them, or nested lists of the shape `n`. */
export interface MultiBinarySpace {
  readonly type: "MultiBinary"
  readonly n: number | ReadonlyArray<number>
}

/** A list with one value per subspace. */
export interface TupleSpace {
  readonly type: "Tuple"
  readonly subspaces: ReadonlyArray<Space>
}

/** An object with exactly these keys. */
export interface DictSpace {
  readonly type: "Dict"
  readonly subspaces: { readonly [key: string]: Space }
}

/** A text; its length counts Unicode code points. */
export interface TextSpace {
  readonly type: "Text"
  /** Default: 1. */
  readonly min_length?: number
  readonly max_length: number
  /** The allowed characters. Default: all. */
  readonly charset?: string
}

/** A list of at most 65,536 values of one space. */
export interface SequenceSpace {
  readonly type: "Sequence"
  readonly feature_space: Space
  /** Whether Gymnasium stacks the values into arrays. In JSON, they are a list either way. */
  readonly stack?: boolean
}

/**
 * A graph: `{ nodes, edges, edge_links }`. `nodes` and `edges` list values of their spaces, at most 65,536 each.
 * `edge_links` holds, for each edge, the indices of the two nodes that it joins. A graph without edges has null for
 * `edges` and `edge_links`.
 */
export interface GraphSpace {
  readonly type: "Graph"
  readonly node_space: Space
  /** Default: null, for graphs without edges. */
  readonly edge_space?: Space | null
}

/** A value of one of the subspaces, as `[index of the subspace, value]`. */
export interface OneOfSpace {
  readonly type: "OneOf"
  readonly subspaces: ReadonlyArray<Space>
}

/**
 * The set of possible observations or actions: Gymnasium's spaces in Minari's JSON. Spaces that Minari does not write
 * use Gymnasium's field names.
 */
export type Space =
  | BoxSpace
  | DiscreteSpace
  | MultiDiscreteSpace
  | MultiBinarySpace
  | TupleSpace
  | DictSpace
  | TextSpace
  | SequenceSpace
  | GraphSpace
  | OneOfSpace
