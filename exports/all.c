#include <tare/stats.h>
#include <tare/status.h>
