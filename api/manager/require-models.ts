import * as errors from '../../shared/errors/catalogue.ts'
import type { AllModels } from '../../shared/models/repository.ts'

/** The manager's models. @throws managerNotConfigured (503) without a manager database */
export function requireModels(models: AllModels | null): AllModels {
  if (models === null) throw errors.managerNotConfigured()
  return models
}
