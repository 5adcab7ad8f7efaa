export { openWorkflow, type OpenWorkflowOptions } from './open-workflow.js';
