/* device.c - names of devices. */
#include "tensor/tensor.h"
#include <stdlib.h>
#include <string.h>

bool device_parse(const char *text, Device *device, Err *err)
{
    size_t n = strcspn(text, ":");
    char *end = (char *)text + n;
    long index = *end ? strtol(end + 1, &end, 10) : 0;
    bool known = (n == 3 && !memcmp(text, "cpu", 3)) || (n == 4 && !memcmp(text, "cuda", 4));
    if (!known || *end || end == text + n + 1 || (text[n] && (text[n + 1] < '0' || text[n + 1] > '9')))
        return err_set(err, ERR_RUNTIME, "'%s' names no device: Locus knows cpu, cuda and cuda:0, cuda:1 …", text);
    if (index > 255)
        return err_set(err, ERR_RUNTIME, "device index %ld is beyond 255", index);
    *device = (Device){ n == 4 ? DEVICE_CUDA : DEVICE_CPU, (uint8_t)index };
    return true;
}

void device_print(Device device, Text *text)
{
    if (device.type == DEVICE_CPU)
        text_put(text, "cpu");
    else
        text_print(text, "cuda:%d", device.index);
}
