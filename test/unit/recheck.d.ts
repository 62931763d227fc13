/** The package has types for its default entry only. */
declare module 'recheck/lib/browser.js' {
  export { checkSync } from 'recheck'
}
