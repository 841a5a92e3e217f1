/** Says of a cause that no event names it. */

interface InferredProps {
  /** JSON Pointers of the arguments that occur in it; undefined where it is named. */
  readonly from: ReadonlyArray<string> | undefined
}

export const Inferred = ({ from }: InferredProps) =>
  from === undefined ? null : (
    <small title="No event names this cause. These arguments of the call occur in the answer, perhaps by chance.">
      inferred from <bdi>{from.join(", ") || "all of it"}</bdi>
    </small>
  )
