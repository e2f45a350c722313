// One address, two screens: the till, and under #display the screen that faces the guest.

export {}

if (location.hash === '#display') await (await import('./display/display.ts')).startDisplay()
else await (await import('./till.ts')).startTill()
