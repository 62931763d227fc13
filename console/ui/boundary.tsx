import { Component, type ComponentChildren } from 'preact'
import { Page } from './page.tsx'

interface Props {
  /** The address; another one gets another chance. */
  url: string
  children: ComponentChildren
}

/** Shows a page in place of one that failed, so that one fault does not stop the console. */
export class Boundary extends Component<Props, { failedAt: string | null }> {
  override state = { failedAt: null }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ failedAt: this.props.url })
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
