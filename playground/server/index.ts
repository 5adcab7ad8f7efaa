export { openStudio, studioRoutes, type MountedStudio, type StudioRoutesOptions } from './studio-routes.js';
export { studioRoute, type StudioRouteOptions } from './studio-route.js';
export { startStudio, type StudioServer, type StudioServerOptions } from './start-studio.js';
