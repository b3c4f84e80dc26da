// Reading and writing whole files of raw numbers.
#ifndef DATA_UTILS_H
#define DATA_UTILS_H
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>

#include "acl/acl.h"

#define INFO_LOG(fmt, args...) fprintf(stdout, "[INFO]  " fmt "\n", ##args)
#define WARN_LOG(fmt, args...) fprintf(stdout, "[WARN]  " fmt "\n", ##args)
#define ERROR_LOG(fmt, args...) fprintf(stderr, "[ERROR]  " fmt "\n", ##args)
#define CHECK_ACL(x)                                                \
  do {                                                              \
    aclError ret = x;                                               \
    if (ret != ACL_ERROR_NONE) {                                    \
      std::cerr << __FILE__ << ":" << __LINE__ << " acl " << ret << std::endl; \
    }                                                               \
  } while (0)

inline bool ReadFile(const std::string& path, size_t& fileSize, void* buffer, size_t bufferSize) {
  struct stat status;
  if (stat(path.c_str(), &status) == -1) {
    ERROR_LOG("there is no file %s", path.c_str());
    return false;
  }
  if (S_ISREG(status.st_mode) == 0) {
    ERROR_LOG("%s is not a file", path.c_str());
    return false;
  }
  std::ifstream file(path, std::ios::binary);
  std::filebuf* content = file.rdbuf();
  const size_t size = content->pubseekoff(0, std::ios::end, std::ios::in);
  if (size == 0 || size > bufferSize) {
    ERROR_LOG("%s has %zu bytes, at most %zu are expected", path.c_str(), size, bufferSize);
    return false;
  }
  content->pubseekpos(0, std::ios::in);
  content->sgetn(static_cast<char*>(buffer), size);
  fileSize = size;
  return true;
}

inline bool WriteFile(const std::string& path, const void* buffer, size_t size) {
  if (buffer == nullptr) {
    ERROR_LOG("nothing to write");
    return false;
  }
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  if (file < 0) {
    ERROR_LOG("cannot open %s", path.c_str());
    return false;
  }
  const auto written = write(file, buffer, size);
  (void)close(file);
  if (static_cast<size_t>(written) != size) {
    ERROR_LOG("cannot write %s", path.c_str());
    return false;
  }
  return true;
}
#endif  // DATA_UTILS_H
