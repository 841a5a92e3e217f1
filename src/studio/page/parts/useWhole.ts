/** Loads payloads that are too long for their chunks, by position and on demand. */
import { useState } from "preact/hooks"
import type { Json } from "../../../values/Json.ts"
import { useStudio } from "./context.ts"

export const useWhole = () => {
  const studio = useStudio()
  const [whole, setWhole] = useState<ReadonlyMap<number, Json>>(new Map())
  const show = (position: number) => {
    studio.source.ask("event", { position }).then(
      ({ payload }) => setWhole((before) => new Map([...before, [position, payload]])),
      (cause: unknown) => studio.fail(cause),
    )
  }
  return { whole, show }
}
