/** An error message, also for screen readers. Isolates the direction of quoted text. */
export const Problem = ({ text }: { readonly text: string }) =>
  text === "" ? null : (
    <p class="problem" role="alert">
      <bdi>{text}</bdi>
    </p>
  )
