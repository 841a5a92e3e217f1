/** The page's studio. */
import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { Studio } from "../model/Studio.ts"

export const StudioContext = createContext<Studio | null>(null)

export const useStudio = (): Studio => {
  const studio = useContext(StudioContext)
  if (studio === null) throw new Error("A part of the page was drawn outside of the studio.")
  return studio
}
