/** Components that load when they are first shown, so that the page begins sooner. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { useStudio } from "./context.ts"

/**
 * A component whose module is loaded at its first use. Until then, it shows nothing; a failure, such as of a server
 * that has ended, is a notice, and the next use tries again.
 */
export const lazy = <Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> => {
  let loaded: ComponentType<Props> | null = null
  return (props: Props) => {
    const studio = useStudio()
    const [Loaded, show] = useState<{ readonly component: ComponentType<Props> } | null>(
      loaded === null ? null : { component: loaded },
    )
    useEffect(() => {
      if (Loaded !== null) return
      load().then(
        (component) => {
          loaded = component
          show({ component })
        },
        (cause: unknown) => studio.fail(cause),
      )
    }, [Loaded])
    return Loaded === null ? <main aria-busy="true" /> : <Loaded.component {...props} />
  }
}
