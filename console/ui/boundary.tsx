import { Component, type ComponentChildren } from 'preact'
import { queries } from '../data.ts'
import { Page } from './page.tsx'

interface Props {
  /** The address; another one gets another chance. */
  url: string
  children: ComponentChildren
}

/** Shows a page in place of one that failed, so that one fault does not stop the console. */
export class Boundary extends Component<Props, { failedAt: string | null }> {
  override state: { failedAt: string | null } = { failedAt: null }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    // An answer that broke the page must not break it again.
    queries.clear()
    this.setState({ failedAt: this.props.url })
  }

  override componentDidUpdate(before: Props): void {
    if (before.url !== this.props.url && this.state.failedAt !== null) this.setState({ failedAt: null })
  }

  override render() {
    const { url, children } = this.props
    if (this.state.failedAt !== url) return children
    return (
      <Page title="This page cannot be shown">
        <p>
          The address is not valid, or the console has a fault. <a href="/console">Go to the first page.</a>
        </p>
      </Page>
    )
  }
}
